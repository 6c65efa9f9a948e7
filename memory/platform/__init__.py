"""What every room stands on, without a word of the domain.

`redis`, `http` and `queue` reach other servers; `faults` are the errors their adapters raise, and nothing else;
`deadline` and `breakers` keep a server that is slow or dead from taking the product along; `metrics` are counted here
and published by `operations`; `per_process` and `threads` say what a process and a thread may share.

Imports conf and what lies below it. A new kind of failure is a class in `faults`; a new number is a line in `metrics`.
"""
