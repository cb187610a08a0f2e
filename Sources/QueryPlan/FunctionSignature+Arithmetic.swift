import SQLTypes

extension FunctionSignature {
    /// Operators. The binder resolves the numeric forms itself (their result types depend on both sides), everything
    /// else by these entries.
    static let arithmeticOperators: [FunctionSignature] = [
        FunctionSignature(["+"], .add, [.common, .common], returns: .argument(0)),
        FunctionSignature(["-"], .subtract, [.common, .common], returns: .argument(0)),
        FunctionSignature(["*"], .multiply, [.common, .common], returns: .argument(0)),
        FunctionSignature(["/"], .divide, [.common, .common], returns: .argument(0)),
        FunctionSignature(["%"], .modulo, [.common, .common], returns: .argument(0)),
        FunctionSignature(["-"], .negate, [.any], returns: .argument(0)),
        FunctionSignature(["&"], .bitAnd, [.common, .common], returns: .argument(0)),
        FunctionSignature(["|"], .bitOr, [.common, .common], returns: .argument(0)),
        FunctionSignature(["#"], .bitXor, [.common, .common], returns: .argument(0)),
        FunctionSignature(["~"], .bitNot, [.anyInteger], returns: .argument(0)),
        FunctionSignature(["<<"], .shiftLeft, [.anyInteger, .integer], returns: .argument(0)),
        FunctionSignature([">>"], .shiftRight, [.anyInteger, .integer], returns: .argument(0)),
        FunctionSignature(["^"], .power, [.double, .double], returns: .double),
        FunctionSignature(["|/"], .squareRoot, [.double], returns: .double),
        FunctionSignature(["||/"], .cubeRoot, [.double], returns: .double),
    ]

    static let mathematics: [FunctionSignature] = [
        FunctionSignature(["abs", "@"], .absolute, [.anyInteger], returns: .argument(0)),
        FunctionSignature(["abs", "@"], .absolute, [.decimal], returns: .argument(0)),
        FunctionSignature(["abs", "@"], .absolute, [.double], returns: .double),
        FunctionSignature(["power", "pow"], .power, [.double, .double], returns: .double),
        FunctionSignature(["sqrt"], .squareRoot, [.double], returns: .double),
        FunctionSignature(["cbrt"], .cubeRoot, [.double], returns: .double),
        FunctionSignature(["exp", "dexp"], .exponential, [.double], returns: .double),
        FunctionSignature(["ln", "dlog1"], .naturalLogarithm, [.double], returns: .double),
        FunctionSignature(["log", "dlog10"], .logarithm10, [.double], returns: .double),
        FunctionSignature(["ceiling", "ceil"], .ceiling, [.decimal], returns: .computed(withoutScale)),
        FunctionSignature(["ceiling", "ceil"], .ceiling, [.double], returns: .double),
        FunctionSignature(["floor"], .floor, [.decimal], returns: .computed(withoutScale)),
        FunctionSignature(["floor"], .floor, [.double], returns: .double),
        FunctionSignature(["sign"], .sign, [.decimal], returns: .fixed(.decimal(precision: 1, scale: 0))),
        FunctionSignature(["sign"], .sign, [.double], returns: .double),
        FunctionSignature(["round"], .round, [.decimal, .integer.defaulting(.integer(0))], returns: .argument(0)),
        FunctionSignature(["round"], .round, [.double, .integer.defaulting(.integer(0))], returns: .double),
        FunctionSignature(
            ["trunc", "truncate"], .truncate, [.decimal, .integer.defaulting(.integer(0))], returns: .argument(0)),
        FunctionSignature(
            ["trunc", "truncate"], .truncate, [.double, .integer.defaulting(.integer(0))], returns: .double),
        FunctionSignature(["mod"], .modulo, [.common, .common], returns: .argument(0)),
        FunctionSignature(["sin"], .sine, [.double], returns: .double),
        FunctionSignature(["cos"], .cosine, [.double], returns: .double),
        FunctionSignature(["tan"], .tangent, [.double], returns: .double),
        FunctionSignature(["cot"], .cotangent, [.double], returns: .double),
        FunctionSignature(["asin"], .arcSine, [.double], returns: .double),
        FunctionSignature(["acos"], .arcCosine, [.double], returns: .double),
        FunctionSignature(["atan"], .arcTangent, [.double], returns: .double),
        FunctionSignature(["atan2"], .arcTangent2, [.double, .double], returns: .double),
        FunctionSignature(["degrees"], .degrees, [.double], returns: .double),
        FunctionSignature(["radians"], .radians, [.double], returns: .double),
        FunctionSignature(["pi"], .pi, [], returns: .double),
        FunctionSignature(["random"], .random, [], returns: .double, volatility: .volatile),
    ]

    static let choices: [FunctionSignature] = [
        FunctionSignature(
            ["coalesce", "nvl"], .coalesce, [.common], returns: .argument(0), variadic: true, strict: false),
        FunctionSignature(["greatest"], .greatest, [.common], returns: .argument(0), variadic: true, strict: false),
        FunctionSignature(["least"], .least, [.common], returns: .argument(0), variadic: true, strict: false),
        FunctionSignature(["nullif"], .nullIf, [.common, .common], returns: .argument(0), strict: false),
    ]

    /// CEILING and FLOOR of a decimal are whole numbers that may need one digit more.
    private static let withoutScale: @Sendable ([SQLType]) -> SQLType = { types in
        guard case .decimal(let precision, let scale)? = types.first else { return .double }
        return .decimal(precision: min(38, max(1, precision - scale + 1)), scale: 0)
    }
}
