import Glibc
import Platform
import SQLTypes

/// A worker's piece of a file: whole records, each with its line end. Before the text stand 64 readable bytes and after
/// it 64 more, for loads of whole words. Behind it is the side area, as large as the text, for fields whose bytes
/// differ from the file's (unescaped ones); offsets into it count from the start of the text too, so that one number
/// finds any field.
final class ChunkBuffer {
    private var region: Region
    private(set) var text: UnsafeMutablePointer<UInt8>
    /// Room for text. One byte more is always there, for a missing last line end.
    private(set) var capacity: Int
    /// Bytes of text.
    var count = 0
    /// Bytes of the side area in use.
    var sideCount = 0
    /// Which file, and which piece of it.
    var file = 0
    var ordinal = 0
    /// Bytes of the object that this piece stands for, for progress.
    var sourceBytes = 0

    /// No record may be longer.
    static let maximumRecordBytes = 64 << 20
    private static let front = 64
    private static let gap = 128

    init(capacity: Int) throws {
        self.capacity = capacity
        region = try MemoryRegions.shared.take(bytes: ChunkBuffer.bytes(capacity))
        text = region.address.assumingMemoryBound(to: UInt8.self) + ChunkBuffer.front
    }
    deinit { MemoryRegions.shared.give(back: region) }

    private static func bytes(_ capacity: Int) -> Int { front + 2 * (capacity + gap) }

    var sideStart: Int { capacity + ChunkBuffer.gap }

    func reset() {
        count = 0
        sideCount = 0
        sourceBytes = 0
    }

    /// Makes room for at least so many bytes of text and keeps the first `count`. The side area must be empty.
    func grow(to wanted: Int) throws {
        if wanted <= capacity { return }
        let larger = max(wanted, capacity * 2)
        let fresh = try MemoryRegions.shared.take(bytes: ChunkBuffer.bytes(larger))
        let target = fresh.address.assumingMemoryBound(to: UInt8.self) + ChunkBuffer.front
        memcpy(target, text, count)
        MemoryRegions.shared.give(back: region)
        region = fresh
        text = target
        capacity = larger
    }

    /// Ends the last record of a file that has no line end.
    func terminate() {
        if count > 0 && text[count - 1] != 10 {
            text[count] = 10
            count += 1
        }
    }

    /// The beginning of a part of the text, or of the side area, as errors show it.
    func shown(_ range: Range<Int>) -> String {
        let count = UTF8Text.boundary(text + range.lowerBound, range.count, limit: LoadError.keptBytes)
        return String(decoding: UnsafeBufferPointer(start: text + range.lowerBound, count: count), as: UTF8.self)
    }

    static func tooLong(_ file: String) -> SQLError {
        SQLError(
            .limitExceeded, "a record of file \"\(file)\" is longer than \(maximumRecordBytes >> 20) MB",
            hint: "Check the quotes, the ESCAPE option and the line ends of the file.")
    }
}
