//! A sum takes in X, and what is rounded away goes to another (Knuth's exact sum of two): ACC + X
//!   = S + what LOW takes in.
//! needs: ACC and LOW, variables of TYPE that are precise; S and B, names that are free; NOTE, a
//!   comment
//! threads: any
//! leaves: ACC + LOW, which is what it was and X, but for the rounding of LOW
precise @TYPE@ @S@ = @ACC@ + @X@;@NOTE@
precise @TYPE@ @B@ = @S@ - @ACC@;
@LOW@ += (@ACC@ - (@S@ - @B@)) + (@X@ - @B@);
@ACC@ = @S@;
