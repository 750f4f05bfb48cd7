//! A persistent weighted graph-structured stack: a finite set of stacks, each with one weight.
