import Foundation
import Testing

/// Arithmetic that stops the process on values it was not made for, outside of the kernels: what a client or data says
/// must not reach it. The rules see text, not types, so each has its list of files whose values are proved.
struct OutsideValueTests {
    private static let targets: Set<String> = [
        "Binder", "Catalog", "Cluster", "Optimizer", "PGWire", "QueryPlan", "SQLSyntax", "Warehouse",
    ]
    private static let files = Result {
        try SourceFile.all(below: "Sources").filter { targets.contains($0.target) }
    }

    private func expectNone(_ pattern: String, except proved: [String: String], _ rule: String) throws {
        let expression = try NSRegularExpression(pattern: pattern)
        var problems: [String] = []
        for file in try OutsideValueTests.files.get() where proved[file.path] == nil {
            for (index, line) in file.code.enumerated() {
                let whole = NSRange(line.startIndex..., in: line)
                guard expression.firstMatch(in: line, range: whole) != nil else { continue }
                problems.append("\(file.path):\(index + 1): \(line.trimmingCharacters(in: .whitespaces))")
            }
        }
        if problems.isEmpty { return }
        Issue.record("\(rule); \(problems.count) do not:\n\(problems.prefix(40).joined(separator: "\n"))")
    }

    /// abs() of the least integer stops the process.
    @Test func sizesAreMagnitudes() throws {
        try expectNone("(^|[^.\\w])abs\\(", except: [:], "sizes of numbers are their .magnitude")
    }

    /// So does the negation of the least integer.
    @Test func negationsAreProved() throws {
        try expectNone(
            "(^|[=(,?:\\[{&|<>]|\\breturn|\\bin)\\s*-[a-z]\\w*",
            except: [
                "Sources/Binder/Expressions/ComparisonBinder.swift": "a difference of scales",
                "Sources/Binder/Expressions/LiteralBinder.swift": "literals have at most 38 digits",
                "Sources/Binder/Expressions/OperatorBinder.swift": "constants have at most 38 digits, or are floats",
                "Sources/Binder/Functions/WindowBinder.swift": "frames' offsets are not negative",
                "Sources/QueryPlan/ConstantFolding.swift": "a double",
                "Sources/Optimizer/Passes/PushAggregation.swift": "floating point",
                "Sources/Optimizer/Passes/SplitSums.swift": "64-bit constants in 128 bits",
                "Sources/PGWire/Types/NumericBinary.swift": "at most 38 digits and 4 places",
                "Sources/PGWire/Types/ParameterDecoder.swift": "offsets of zones are below a day",
                "Sources/SQLSyntax/Parser/ParserExpressions.swift": "literals are not negative",
                "Sources/Warehouse/SystemRelations/StatisticsRelations.swift": "floating point",
                "Sources/Warehouse/Procedures/LoopSteps.swift": "strides have 32 bits, in 64",
                "Sources/Warehouse/Plans/ResultCache.swift": "bytes that were reserved",
            ], "values are negated where the least one cannot be")
    }

    /// NaN, infinity and what has more digits stop the process.
    @Test func roundedValuesAreConvertedCarefully() throws {
        try expectNone(
            "\\bU?Int\\d*\\((?!exactly|clamping|truncatingIfNeeded).*\\.rounded\\(",
            except: [
                "Sources/QueryPlan/ExplainText.swift": "NaN and large values are told apart before",
                "Sources/Warehouse/Statements/AnalyzeCompressionExecution.swift": "a share",
                "Sources/Warehouse/SystemRelations/QueryDetailRelation.swift": "a share of a largest value above 0",
                "Sources/Warehouse/SystemRelations/TableInfoRelation.swift": "shares in 128 bits, of tables with rows",
            ], "floating point becomes an integer by exactly:, or where its range is proved")
    }

    /// A value that does not fit a narrower signed form stops the process.
    @Test func narrowerFormsSayHow() throws {
        try expectNone(
            "\\bInt(8|16|32)\\((?!exactly|clamping|truncatingIfNeeded|bitPattern|bigEndian|[0-9A-Z\"'])[^)]",
            except: [
                "Sources/Binder/Statements/CreateTableAs.swift": "places of columns, at most 1,600",
                "Sources/Binder/Statements/CreateTableBinder.swift": "places of columns, at most 1,600",
                "Sources/QueryPlan/ColumnSet.swift": "bits that were ids of 32 bits",
                "Sources/PGWire/Server/ClientSocket.swift": "widens",
                "Sources/PGWire/Server/SocketAddress.swift": "widens",
                "Sources/PGWire/Types/NumericBinary.swift": "at most 38 digits",
                "Sources/PGWire/Types/WireType.swift": "precision and scale of at most 38",
            ], "narrower integers are made by exactly:, clamping: or truncatingIfNeeded:")
    }
}
