import ColumnVectors
import SQLTypes

/// How result rows become files: the seam between UNLOAD's pipeline and the formats of files, as ``RecordFormat`` is
/// COPY's. One value for each statement, used by all of its files.
package protocol RecordOutputFormat: Sendable {
    /// Appended to the names of files, with its dot (".parquet"); empty for plain text.
    var fileSuffix: String { get }
    /// True for formats that compress inside (Parquet); the files of others are compressed as a whole.
    var compressesInside: Bool { get }

    /// Throws when columns of these types cannot be written.
    func check(_ columns: [OutputColumn]) throws
    /// For one file.
    func makeWriter(_ columns: [OutputColumn], to target: any ByteTarget) throws -> any RecordWriter
}

/// A column of the files that are written.
package struct OutputColumn: Sendable, Hashable {
    package let name: String
    package let type: SQLType

    package init(name: String, type: SQLType) {
        self.name = name
        self.type = type
    }
}

/// Writes one file from front to back. Confined to one thread at a time.
package protocol RecordWriter: AnyObject {
    /// Appends rows of a batch whose columns are those that the writer was made for. Integers of the batch may be
    /// narrower than their types say.
    func write(_ batch: ColumnBatch, rows: Range<Int>) throws
    /// The end of the file: what was held back, and a footer where the format has one.
    func finish() throws
    /// Memory for rows that are not written yet.
    var heldBytes: Int { get }
}

/// Where the bytes of a file go: a compression, an encryption, a place. Confined to one thread at a time.
package protocol ByteTarget: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer) throws
}
