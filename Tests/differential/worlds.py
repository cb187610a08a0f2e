"""Circumstances that must not change an answer: shapes of warehouses, and settings of sessions."""

# (nodes, slices of each node, workers, memory)
SHAPES = [(1, 2, 2, None), (1, 1, 1, None), (2, 3, 4, "300MB"), (1, 12, 3, None)]

WAYS = ["domain_evaluation", "narrow_codes", "packed_sums", "runtime_filters", "top_n_boundary", "late_fetch", "dense_joins",
        "dense_groups", "plan_cache", "dictionaries", "pass_by_pass"]
PASSES = ["inline_with", "summarize_semi_joins", "reduce_group_keys", "push_down_filters", "push_filters_into_with",
          "push_aggregation", "simplify_expressions", "order_joins", "remove_redundant_operators", "split_sums",
          "reduce_aggregate_inputs", "correlation_pull_up"]


def known_worlds(redbarn):
    """The settings that this server takes: one setting each, then some together."""
    names = ways(redbarn)
    worlds = [(f"redbarn_disable to '{name}'",) for name in names]
    if names:
        worlds += [(f"redbarn_disable to '{','.join(names)}'",)] * 3
        worlds.append((f"redbarn_disable to '{','.join(names)}'", "redbarn_memory_limit to 1000000"))
    worlds += [("redbarn_batch_rows to 1",), ("redbarn_batch_rows to 7",), ("redbarn_batch_rows to 8192",)]
    worlds += [(f"redbarn_memory_limit to {bytes}",) for bytes in (200_000, 1_000_000, 8_000_000)]
    worlds += [(f"redbarn_disabled_passes to '{name}'",) for name in PASSES]
    worlds += [(f"redbarn_disabled_passes to '{','.join(PASSES)}'",)] * 2
    worlds += [("redbarn_batch_rows to 61", "redbarn_memory_limit to 500000")]
    return [world for world in worlds if redbarn.connection(world) is not None]


def ways(redbarn):
    """Names of the special ways; the server says which of them it knows."""
    return [name for name in WAYS if redbarn.connection((f"redbarn_disable to '{name}'",)) is not None]
