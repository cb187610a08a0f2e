import QueryPlan

/// The kernel of every scalar function. Each family has those of its own functions in its own file; a test asks for all
/// cases of ``ScalarFunction``.
enum FunctionKernels {
    private static let families: [@Sendable (ScalarFunction) -> FunctionKernel?] = [
        { ArithmeticFunctions.kernel($0) }, { MathFunctions.kernel($0) }, { ConditionalFunctions.kernel($0) },
        { StringFunctions.kernel($0) }, { StringBuildingFunctions.kernel($0) }, { PatternFunctions.kernel($0) },
        { HashFunctions.kernel($0) }, { SoundFunctions.kernel($0) }, { JSONFunctions.kernel($0) },
        { SuperFunctions.kernel($0) }, { SuperArrayFunctions.kernel($0) }, { SuperOperators.kernel($0) },
        { SketchFunctions.kernel($0) },
        { ByteFunctions.kernel($0) }, { HierarchyFunctions.kernel($0) }, { PeriodFunctions.kernel($0) },
        { DatetimeFunctions.kernel($0) }, { DatePartFunctions.kernel($0) },
        { FormatFunctions.kernel($0) }, { ArrayFunctions.kernel($0) }, { CatalogFunctions.kernel($0) },
    ]

    /// Looked up for every call of every query: made once.
    private static let kernels: [ScalarFunction: FunctionKernel] = {
        var kernels: [ScalarFunction: FunctionKernel] = [:]
        for function in ScalarFunction.allCases {
            for family in families where kernels[function] == nil { kernels[function] = family(function) }
        }
        return kernels
    }()

    static func kernel(for function: ScalarFunction) -> FunctionKernel { kernels[function] ?? .missing(function) }
}
