# Started for each request: perl noisy_sum.pl {data} {seed} {count}. A noisy sum, epsilon = 1 for records in [0, 1].
# With the further argument "from-data" the noise follows the largest record, and an audit refutes it.
use strict;
use warnings;
use JSON::PP;

my ($file, $seed, $count, $how) = @ARGV;
open my $in, '<', $file or die "no file $file\n";
my @records = map { $_ < 0 ? 0 : $_ > 1 ? 1 : $_ } @{decode_json(do { local $/; <$in> })};
my ($sum, $scale) = (0, 1);
$sum += $_ for @records;
if (($how // '') eq 'from-data') {
    $scale = 0.01;
    for (@records) { $scale = $_ if $_ > $scale }
}
srand($seed % 2**32);
for (1 .. $count) {
    my $size = -$scale * log(1 - rand);
    printf "%.17g\n", $sum + (rand() < 0.5 ? -$size : $size);
}
