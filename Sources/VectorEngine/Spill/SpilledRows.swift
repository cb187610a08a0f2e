import QueryPlan
import SQLTypes

/// Rows in the temporary area, in chunks that are read one at a time. Immutable.
final class SpilledRows: @unchecked Sendable {  // immutable after init
    /// The columns: type, form, bounds, dictionary.
    let forms: [Register]
    let chunks: [SpillChunk]
    let count: Int
    let file: SpillFile

    init(forms: [Register], chunks: [SpillChunk], file: SpillFile) {
        self.forms = forms
        self.chunks = chunks
        self.file = file
        count = chunks.reduce(0) { $0 + $1.rows }
    }
}

/// Materialised rows in memory, or in the temporary area when they did not fit.
enum StoredRows {
    case memory(RowSet)
    case spilled(SpilledRows)
}
