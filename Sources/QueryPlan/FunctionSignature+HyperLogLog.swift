import SQLTypes

extension FunctionSignature {
    /// Functions of HLLSKETCH; its aggregates are among ``AggregateSignature/all``.
    static let sketches: [FunctionSignature] = [
        // What the binder writes around the argument of HLL and HLL_CREATE_SKETCH.
        FunctionSignature(["hll_hash"], .hllHash, [.any], returns: .bigint),
        FunctionSignature(["hll_cardinality"], .hllCardinality, [sketch], returns: .bigint),
        FunctionSignature(
            ["hll_combine_sketches"], .hllCombineSketches, [sketch, sketch], returns: .fixed(.hllsketch),
            strict: false),
    ]

    private static let sketch = Parameter(.exactly(.hllsketch))
}
