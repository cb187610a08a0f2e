import Platform
import SQLTypes

/// One Avro file: its header, then blocks that workers take one by one. Safe from any thread.
final class AvroFile: @unchecked Sendable {  // `input` and `ordinal` are used under `turn`
    struct Block {
        var packed: [UInt8] = []
        var records = 0
        var ordinal = 0
        var sourceBytes = 0
    }
    let index: Int
    let name: String
    let schema: AvroSchema
    let codec: BlockDecoder
    private let sync: [UInt8]
    private let input: CompressedInput
    private let turn = Lock(())
    private var ordinal = 0
    private var consumed: Int64 = 0
    private var isBroken = false

    private static let largestHeader = 16 << 20
    static let magic: [UInt8] = [0x4F, 0x62, 0x6A, 0x01]

    init(_ input: any LoadInput, index: Int, name: String) throws {
        self.index = index
        self.name = name
        self.input = CompressedInput(input, name: name)
        var reader = HeaderReader(input: self.input, name: name)
        guard try reader.take(4) == AvroFile.magic else {
            throw SQLError(.dataException, "file \"\(name)\" is not an Avro file")
        }
        let metadata = try reader.metadata()
        sync = try reader.take(16)
        guard let text = metadata["avro.schema"] else { throw AvroFile.damaged(name, "the schema is missing") }
        schema = try AvroSchema(parsing: text, name: name)
        guard case .record = schema.types[schema.root].kind else {
            throw SQLError(.dataException, "the schema of file \"\(name)\" is not a record")
        }
        codec = try AvroFile.codec(metadata["avro.codec"] ?? [], name)
    }

    private static func codec(_ name: [UInt8], _ file: String) throws -> BlockDecoder {
        switch String(decoding: name, as: UTF8.self) {
        case "", "null": return .none
        case "deflate": return .deflate
        case "snappy": return .snappy
        case "zstandard": return .zstd
        case "bzip2": return .bzip2
        case let other:
            throw SQLError(
                .featureNotSupported, "file \"\(file)\" has Avro codec \"\(other)\", which is not supported",
                hint: "null, deflate, snappy, zstandard and bzip2 are.")
        }
    }

    static func damaged(_ name: String, _ reason: String) -> SQLError {
        SQLError(.dataException, "Avro file \"\(name)\" is damaged: \(reason)")
    }

    /// Takes the next block; false at the end.
    func next(_ block: inout Block) throws -> Bool {
        try turn.withLock { _ in
            if isBroken { return false }
            do {
                return try take(&block)
            } catch {
                isBroken = true
                throw error
            }
        }
    }

    private func take(_ block: inout Block) throws -> Bool {
        guard try input.refill() else { return false }
        var reader = HeaderReader(input: input, name: name)
        let records = try reader.long()
        let size = try reader.long()
        guard records >= 0, records <= Int64(Int32.max), size >= 0, size <= Int64(BlockDecoder.largestBlock) else {
            throw AvroFile.damaged(name, "a block has an impossible size")
        }
        block.packed.removeAll(keepingCapacity: true)
        try input.append(Int(size), to: &block.packed)
        guard block.packed.count == Int(size) else { throw AvroFile.damaged(name, "unexpected end of file") }
        guard try reader.take(16) == sync else {
            throw AvroFile.damaged(name, "a block's end is not where it should be")
        }
        block.records = Int(records)
        block.ordinal = ordinal
        ordinal += 1
        block.sourceBytes = Int(input.consumedBytes - consumed)
        consumed = input.consumedBytes
        return true
    }

    /// Numbers and strings outside of blocks.
    private struct HeaderReader {
        let input: CompressedInput
        let name: String
        var taken = 0

        mutating func take(_ count: Int) throws -> [UInt8] {
            taken += count
            if taken > AvroFile.largestHeader { throw AvroFile.damaged(name, "the header is too large") }
            var bytes: [UInt8] = []
            try input.append(count, to: &bytes)
            guard bytes.count == count else { throw AvroFile.damaged(name, "unexpected end of file") }
            return bytes
        }

        mutating func long() throws -> Int64 {
            var bytes: [UInt8] = []
            repeat { bytes += try take(1) } while bytes[bytes.count - 1] >= 0x80 && bytes.count < 10
            let count = bytes.count
            return try bytes.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                var input = AvroInput(base, count)
                do { return try input.long() } catch {
                    throw AvroFile.damaged(name, "a number has too many bytes")
                }
            }
        }

        private mutating func bytes() throws -> [UInt8] {
            let length = try long()
            guard length >= 0, length <= Int64(AvroFile.largestHeader) else {
                throw AvroFile.damaged(name, "a length is impossible")
            }
            return try take(Int(length))
        }

        mutating func metadata() throws -> [String: [UInt8]] {
            var result: [String: [UInt8]] = [:]
            while true {
                let count = try long()
                if count == 0 { return result }
                if count < 0 { _ = try long() }
                if count.magnitude > 1 << 16 { throw AvroFile.damaged(name, "a count is impossible") }
                for _ in 0..<count.magnitude {
                    let key = String(decoding: try bytes(), as: UTF8.self)
                    result[key] = try bytes()
                }
            }
        }
    }
}
