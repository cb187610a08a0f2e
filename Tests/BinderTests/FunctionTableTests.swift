import QueryPlan
import SQLTypes
import Testing

@Suite struct FunctionTableTests {
    @Test func everyFunctionHasASignature() {
        let covered = Set(FunctionTable.signatures.map(\.function))
        for function in ScalarFunction.allCases { #expect(covered.contains(function), "\(function)") }
    }

    @Test func overloadsByDistance() {
        #expect(FunctionTable.resolve("abs", [.integer])?.result.type(for: [.integer]) == .integer)
        #expect(FunctionTable.resolve("abs", [.real])?.function == .absolute)
        #expect(FunctionTable.resolve("date_trunc", [.unknown, .timestamptz])?.result.type(for: []) == .timestamptz)
        #expect(FunctionTable.resolve("to_char", [.integer, .unknown])?.function == .toCharNumber)
        #expect(FunctionTable.resolve("to_char", [.date, .unknown])?.function == .toCharDatetime)
        // Numbers become text where nothing nearer is there; BOOLEAN does not.
        #expect(FunctionTable.resolve("lower", [.integer])?.function == .lower)
        #expect(FunctionTable.resolve("to_hex", [.integer])?.function == .toHex)
        #expect(FunctionTable.resolve("lower", [.boolean]) == nil)
    }
}
