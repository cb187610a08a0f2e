import ColumnVectors
import Platform
import SQLTypes

/// What the files of one UNLOAD have in common.
struct UnloadSettings: Sendable {
    /// Of the files; without those of PARTITION BY unless they are to be there.
    var columns: [OutputColumn]
    var format: any RecordOutputFormat
    var compression: UnloadOptions.Compression
    var suffix: String
    var maximumFileBytes: Int64
    var isParallel: Bool
    var place: any OutputFileSet
    var time: any TimeSource

    init(
        _ columns: [OutputColumn], _ options: UnloadOptions, _ style: ValueStyle, _ place: any OutputFileSet,
        _ time: any TimeSource
    ) throws {
        self.time = time
        self.columns = columns
        format = try options.outputFormat(style)
        try format.check(columns)
        compression = options.compression
        suffix = options.nameExtension ?? format.fileSuffix + options.compression.suffix
        maximumFileBytes = options.maximumFileBytes
        isParallel = options.parallel
        self.place = place
    }

    /// - Parameter folder: with its slash, or empty.
    func fileName(_ folder: String, slice: Int, part: Int) -> String {
        let number =
            isParallel
            ? UnloadSettings.digits(slice, 4) + "_part_" + UnloadSettings.digits(part, 2)
            : UnloadSettings.digits(part, 3)
        return folder + number + suffix
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

/// Rows on their way to files, from one slice. One thread at a time.
protocol UnloadStream: AnyObject {
    func write(_ batch: ColumnBatch, rows: Range<Int>) throws
    /// No more rows come.
    func close() throws
    /// Those that are complete.
    var files: [UnloadedFile] { get }
}

/// The files of one slice, in one folder: when a row would make a file too large, the next one begins.
final class SliceFiles: UnloadStream {
    private let settings: UnloadSettings
    private let slice: Int
    private let folder: String
    private(set) var files: [UnloadedFile] = []
    private var file: UnloadFile?
    private var writer: (any RecordWriter)?
    private var startMicroseconds: Int64 = 0
    private static let pieceRows = 1024

    init(_ settings: UnloadSettings, slice: Int, folder: String = "") {
        self.settings = settings
        self.slice = slice
        self.folder = folder
    }

    /// Bytes that wait in memory.
    var heldBytes: Int { (file?.waitingBytes ?? 0) + (writer?.heldBytes ?? 0) }
    var isEmpty: Bool { files.isEmpty && file == nil }

    // MARK: Rows

    func write(_ batch: ColumnBatch, rows: Range<Int>) throws {
        var start = rows.lowerBound
        while start < rows.upperBound {
            let end = min(start + SliceFiles.pieceRows, rows.upperBound)
            start = try writeSome(batch, start..<end)
        }
    }

    /// Appends text that has been made of so many rows.
    /// - Returns: false when it does not fit: nothing was done.
    func append(_ text: PieceText, rows: Int) throws -> Bool {
        let (file, _) = try open()
        try file.write(UnsafeRawBufferPointer(text.bytes))
        guard file.largestBytes <= settings.maximumFileBytes else {
            file.discard()
            return false
        }
        try file.keep(rows: rows)
        return true
    }

    /// Writes the piece, or as much of it as fits.
    /// - Returns: the row to go on with.
    private func writeSome(_ batch: ColumnBatch, _ rows: Range<Int>) throws -> Int {
        var (file, writer) = try open()
        if settings.format.compressesInside {
            try writer.write(batch, rows: rows)
            try file.keep(rows: rows.count)
            if file.largestBytes + Int64(writer.heldBytes) >= settings.maximumFileBytes { try closeFile() }
            return rows.upperBound
        }
        var end = rows.upperBound
        while true {
            try writer.write(batch, rows: rows.lowerBound..<end)
            let fits = file.largestBytes <= settings.maximumFileBytes
            let count = end - rows.lowerBound
            // A row of its own goes where it has a file for itself.
            if fits || (count == 1 && file.rows == 0) {
                try file.keep(rows: count)
                return end
            }
            file.discard()
            if count > 1 {
                end = rows.lowerBound + count / 2
            } else {
                try closeFile()
                (file, writer) = try open()
            }
        }
    }

    // MARK: Files

    private func open() throws -> (UnloadFile, any RecordWriter) {
        if let file, let writer { return (file, writer) }
        let name = settings.fileName(folder, slice: slice, part: files.count)
        let file = UnloadFile(
            name, try settings.place.createRows(name), settings.compression, isFinal: settings.format.compressesInside)
        let writer = try settings.format.makeWriter(settings.columns, to: file)
        startMicroseconds = settings.time.wallMicroseconds()
        // What a format begins with, such as a header.
        try file.keep(rows: 0)
        self.file = file
        self.writer = writer
        return (file, writer)
    }

    private func closeFile() throws {
        guard let file, let writer else { return }
        try writer.finish()
        try file.keep(rows: 0)
        try file.close()
        files.append(
            UnloadedFile(
                name: file.name, slice: slice, rows: file.rows, bytes: settings.place.storedBytes(file.writtenBytes),
                startMicroseconds: startMicroseconds, endMicroseconds: settings.time.wallMicroseconds()))
        self.file = nil
        self.writer = nil
    }

    func close() throws { try closeFile() }

    /// A file without rows, so that there is something to read.
    func writeEmpty() throws {
        _ = try open()
        try closeFile()
    }

    /// Gives memory and descriptors back until more rows come. What a format holds back itself ends its file.
    func rest() throws {
        if settings.format.compressesInside { return try closeFile() }
        try file?.rest()
    }
}

extension ColumnBatch {
    /// Appends some rows of another batch of the same shape.
    func append(_ other: ColumnBatch, rows: Range<Int>) throws {
        for (column, source) in zip(columns, other.columns) {
            try column.append(
                values: source.values + rows.lowerBound * source.physical.byteWidth, as: source.physical,
                validity: source.validity.map { UnsafePointer($0 + rows.lowerBound) }, selection: nil,
                count: rows.count)
        }
    }
}
