import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// How the objects of a load become rows: the seam between COPY's pipeline and the formats of files. One value for each
/// load, used by all of its workers.
protocol RecordFormat: Sendable {
    /// About what one worker's reader takes while it reads.
    var workerBytes: Int { get }
    /// Lines at the start of each object that are no records; numbers of lines in errors count them.
    var headerLines: Int { get }

    /// Throws when the format cannot fill the columns at all.
    func check(_ target: RecordTarget) throws
    /// What hands out the objects' records to all workers.
    ///
    /// - Parameter workers: that will ask at most.
    func open(_ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int) throws
        -> any RecordSupply
}

/// The objects of one load, opened as workers run out of work. Safe from any thread.
protocol RecordSupply: Sendable {
    /// For one worker.
    func makeReader() throws -> any RecordReader
}

/// One worker's way through the objects: takes pieces, whole records each, and makes them columns. Confined to its
/// worker.
protocol RecordReader: AnyObject {
    /// Takes a piece of some object; nil when all are used up.
    func nextPiece() throws -> RecordPiece?

    /// Appends the next rows of the piece to the columns that fields fill, each as many. Strings may point to memory of
    /// the reader; it stays until the next piece is taken.
    ///
    /// - Returns: false at the end of the piece; nothing was appended.
    func read(into batch: ColumnBatch, _ bad: inout BadRecords) throws -> Bool

    /// Records of the piece so far, bad ones included, and the lines that they take: records where a format has none.
    var pieceRecords: Int { get }
    var pieceLines: Int { get }
}

struct RecordPiece {
    /// Index of the object.
    var file: Int
    /// Its pieces in order, from 0.
    var ordinal: Int
    /// Bytes of the object that it stands for, for progress.
    var sourceBytes: Int
}

/// What of the rows just read must not be loaded.
struct BadRecords {
    /// Places in the batch, ascending; their columns hold some value.
    var rows: [Int] = []
    /// Lines count from the start of the piece. There may be more of them than rows: records that could not be cut into
    /// fields have no place in the batch.
    var errors: [LoadError] = []
}

/// What a load fills.
struct RecordTarget: Sendable {
    let table: TableDefinition
    /// Table column index of each field, in field order.
    let fields: [Int]
}
