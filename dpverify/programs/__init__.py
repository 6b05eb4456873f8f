"""Programs in any language as mechanisms: one protocol over a pipe, in two forms (`dpverify.programs.command`)."""
