import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Testing

@testable import VectorEngine

@Suite struct FunctionCoverageTests {
    /// Functions that the executor replaces by constants before kernels are asked for.
    private let sessionFacts: Set<ScalarFunction> = [
        .currentUser, .currentDatabase, .currentSchema, .version, .backendPID, .currentSetting,
    ]

    /// A kernel is missing when making it fails with an internal error, whatever the arguments are.
    private func isMissing(_ function: ScalarFunction) -> Bool {
        let site = FunctionSite(
            arguments: [.varchar(10), .varchar(10), .varchar(10)], constants: [nil, nil, nil], result: .varchar(10),
            context: KernelContext.make())
        do {
            _ = try FunctionKernels.kernel(for: function).make(site)
            return false
        } catch let error as SQLError {
            return error.state == .internalError
        } catch {
            return true
        }
    }

    @Test(arguments: ScalarFunction.allCases) func everyFunctionHasAKernel(_ function: ScalarFunction) {
        if !sessionFacts.contains(function) { #expect(!isMissing(function)) }
    }

    @Test func everyFunctionHasASignatureAndTheOtherWayRound() {
        let signed = Set(FunctionTable.signatures.map(\.function))
        let unsigned = ScalarFunction.allCases.filter { !signed.contains($0) }
        #expect(unsigned.isEmpty, "without a signature: \(unsigned.map(\.rawValue))")
    }

    @Test func kernelsAndSignaturesAgreeOnNulls() {
        for signature in FunctionTable.signatures {
            let kernel = FunctionKernels.kernel(for: signature.function)
            var isStrict = false
            if case .strict = kernel.nulls { isStrict = true }
            #expect(isStrict == signature.isStrict, "\(signature.names[0])")
        }
    }
}

/// What kernels need of a query, without relations.
enum KernelContext {
    struct Relations: RelationProvider {
        func table(_ id: ObjectID) throws -> TableSnapshot { throw SQLError(.undefinedTable, "no tables here") }
        func systemRows(_ relation: String, columns: [Int]) throws -> ColumnBatch { ColumnBatch(types: []) }
        func functionRows(_ name: String, _ arguments: [Datum]) throws -> ColumnBatch { ColumnBatch(types: []) }
    }
    static func make(batchRows: Int = 2048) -> ExecutionContext {
        ExecutionContext(
            pool: .shared, grant: MemoryGrant(MemoryBudget(limit: 1 << 30)), cancellation: CancellationToken(),
            relations: Relations(), shape: ClusterShape(nodes: 1, slicesPerNode: 2), batchRows: batchRows,
            datetime: DatetimeContext(), random: SharedRandom(), time: SystemTime())
    }
}
