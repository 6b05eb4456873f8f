# Started for each request: sh noisy_count.sh {data:csv} {seed} {count}. A noisy number of records, epsilon = 1.
# With the further argument "shown" each output holds the exact number, too, and an audit refutes it.
awk -v seed="$(($2 % 2147483647))" -v count="$3" -v how="$4" '
    END {
        srand(seed)
        for (i = 0; i < count; i++) {
            size = -log(1 - rand())
            noisy = NR + (rand() < 0.5 ? -size : size)
            if (how == "shown") printf "{\"noisy\": %.17g, \"exact\": %d}\n", noisy, NR
            else printf "%.17g\n", noisy
        }
    }' "$1"
