import ColumnVectors
import QueryPlan
import SQLTypes

/// How a scalar function is computed: chosen once per query, called once per batch.
struct FunctionKernel {
    enum NullHandling {
        /// NULL in, NULL out: the body sees only rows whose arguments all have values (through ``FunctionFrame/rows``).
        case strict
        /// The body looks at argument validity itself and sets the result's.
        case custom
    }
    var nulls: NullHandling = .strict
    /// The function may be evaluated once per dictionary entry and on rows that a filter will drop. Volatile functions
    /// may not.
    var deterministic = true
    /// Makes the body. `constants[i]` is set where argument i is the same for all rows: patterns, formats and parts are
    /// prepared here, once.
    var make: (FunctionSite) throws -> (FunctionFrame) throws -> Void
}

/// What is known of a call when the query is compiled.
struct FunctionSite {
    var arguments: [SQLType]
    var constants: [Datum?]
    var result: SQLType
    var context: ExecutionContext
}

/// One call of a function body: typed pointers to all rows of a batch. Every argument is in the canonical physical form
/// of its SQL type (``SQLType/physical``), the result must be written in that of the result type.
struct FunctionFrame {
    /// Rows in the vectors.
    let count: Int
    /// The rows to compute, ascending; nil: all of them. Rows that are NULL or outside of a CASE branch are not listed.
    let rows: UnsafePointer<UInt16>?
    let rowCount: Int
    let arguments: [Vector]
    let result: UnsafeMutableRawPointer
    /// Set to 0 for a NULL result. All 1 before the call for rows listed.
    let resultValidity: UnsafeMutablePointer<UInt8>
    /// Bytes of result strings; valid until the batch is done.
    let arena: StringArena

    struct Vector {
        let data: UnsafeRawPointer
        /// nil: no NULLs.
        let validity: UnsafePointer<UInt8>?
        @inline(__always) func values<Value>(_: Value.Type) -> UnsafePointer<Value> {
            data.assumingMemoryBound(to: Value.self)
        }
    }
    @inline(__always) func output<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> {
        result.assumingMemoryBound(to: Value.self)
    }
    /// Calls the body with every row to compute. The body is inlined; it may throw.
    @inline(__always) func forEachRow(_ body: (Int) throws -> Void) rethrows {
        if let rows {
            for i in 0..<rowCount { try body(Int(rows[i])) }
        } else {
            for i in 0..<count { try body(i) }
        }
    }
}
