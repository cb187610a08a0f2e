"""Circumstances that must not change an answer: shapes of warehouses, and settings of sessions."""
import random

import psycopg

# (nodes, slices of each node, workers, memory)
SHAPES = [(1, 2, 2, None), (1, 1, 1, None), (2, 3, 4, "300MB"), (1, 12, 3, None)]

PASSES = ["inline_with", "summarize_semi_joins", "reduce_group_keys", "push_down_filters", "push_filters_into_with",
          "push_aggregation", "simplify_expressions", "order_joins", "remove_redundant_operators", "split_sums",
          "reduce_aggregate_inputs", "correlation_pull_up"]


def known_worlds(redbarn):
    """The settings that this server takes, the broad ones several times."""
    names = ways(redbarn)
    worlds = [(f"redbarn_disable to '{name}'",) for name in names]
    if names:
        everything = f"redbarn_disable to '{','.join(names)}'"
        worlds += [(everything,)] * 6 + [(everything, "redbarn_memory_limit to 1000000")] * 2
        rng = random.Random(1)
        worlds += [(f"redbarn_disable to '{','.join(rng.sample(names, len(names) // 2))}'",) for _ in range(6)]
    worlds += [("redbarn_verify_vectors to on",)] * 6 + [("redbarn_spill_always to on",)] * 4
    worlds += [("redbarn_verify_vectors to on", "redbarn_spill_always to on", "redbarn_batch_rows to 5")] * 2
    worlds += [("redbarn_batch_rows to 1",), ("redbarn_batch_rows to 7",), ("redbarn_batch_rows to 8192",)]
    worlds += [(f"redbarn_memory_limit to {bytes}",) for bytes in (200_000, 1_000_000, 8_000_000)]
    worlds += [(f"redbarn_disabled_passes to '{name}'",) for name in PASSES]
    worlds += [(f"redbarn_disabled_passes to '{','.join(PASSES)}'",)] * 2
    worlds += [("redbarn_batch_rows to 61", "redbarn_memory_limit to 500000")]
    return [world for world in worlds if redbarn.connection(world) is not None]


def ways(redbarn):
    """The special ways that can be switched off, as the server tells them with its refusal of another name."""
    try:
        redbarn.connection(()).execute("set redbarn_disable to 'no_such_way'")
    except psycopg.Error as error:
        hint = error.diag.message_hint or ""
        if hint.startswith("Available values: "):
            return hint.removeprefix("Available values: ").rstrip(".").split(", ")
    return []
