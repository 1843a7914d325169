"""The search over random subsets: draws, the compiled kernel, swaps."""
