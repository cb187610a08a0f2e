import Glibc
import Platform
import SQLTypes

/// A page after decompression. Its bytes are those of the reader, until the next page.
struct ParquetPage {
    struct Data {
        /// NULLs included.
        var values: Int
        var encoding: ParquetEncoding?
        var repetitions: LevelDecoder?
        var definitions: LevelDecoder?
        /// What comes after the levels.
        var bytes: ParquetBytes
    }
    struct Dictionary {
        var entries: Int
        var bytes: ParquetBytes
    }
    var data: Data?
    var dictionary: Dictionary?
}

/// Takes a column chunk apart into pages. Confined to its worker.
final class ParquetPageReader {
    private let input: ParquetChunkInput
    private let leaf: ParquetLeaf
    private let codec: ParquetCodec
    private let memory: ParquetPageMemory
    private var page: Region?
    /// Stays to the end of the chunk.
    private var dictionary: Region?
    /// Strings of rows may point into pages.
    private let keepsPages: Bool

    init(_ input: ParquetChunkInput, _ leaf: ParquetLeaf, _ codec: ParquetCodec, _ memory: ParquetPageMemory) {
        self.input = input
        self.leaf = leaf
        self.codec = codec
        self.memory = memory
        keepsPages = leaf.physical == .byteArray || leaf.physical == .fixedByteArray
    }
    deinit {
        if let page { memory.release(page) }
        if let dictionary { memory.release(dictionary) }
    }

    /// The next page with data or a dictionary.
    func next() throws -> ParquetPage {
        while true {
            guard input.left > 0 else { throw ParquetDamage.truncated }
            let header = try readHeader()
            guard header.compressedBytes <= input.left else { throw ParquetDamage.truncated }
            switch header.kind {
            case .data: return ParquetPage(data: try readData(header))
            case .dataV2: return ParquetPage(data: try readDataV2(header))
            case .dictionary: return ParquetPage(dictionary: try readDictionary(header))
            case .index, nil: try pass(header.compressedBytes)
            }
        }
    }

    /// Headers do not say how long they are.
    private func readHeader() throws -> ParquetPageHeader {
        var wanted = 256
        while true {
            let bytes = try input.window(wanted)
            var reader = ThriftReader(bytes)
            do {
                let header = try ParquetPageHeader(&reader)
                input.skip(reader.index)
                return header
            } catch let damage as ParquetDamage {
                guard reader.isShort, bytes.count < input.left, wanted < ParquetLimits.pageHeaderBytes else {
                    throw damage
                }
                wanted = max(bytes.count, wanted) * 4
            }
        }
    }

    private func pass(_ count: Int) throws {
        _ = try input.window(count)
        input.skip(count)
    }

    /// Memory for a page; what it held before may still be pointed to.
    private func pageMemory(_ bytes: Int) throws -> Region {
        if let old = page {
            if !keepsPages && old.capacity >= bytes { return old }
            page = nil
            if keepsPages { memory.retire(old) } else { memory.release(old) }
        }
        let fresh = try memory.take(max(bytes, 1))
        page = fresh
        return fresh
    }

    private func unpack(_ header: ParquetPageHeader, into target: UnsafeMutableRawPointer) throws {
        let bytes = try input.window(header.compressedBytes)
        let source = UnsafeRawBufferPointer(rebasing: bytes[..<header.compressedBytes])
        try codec.decompress(
            source, into: UnsafeMutableRawBufferPointer(start: target, count: header.uncompressedBytes))
        input.skip(header.compressedBytes)
    }

    private func readDictionary(_ header: ParquetPageHeader) throws -> ParquetPage.Dictionary {
        guard dictionary == nil else { throw ParquetDamage("a second dictionary") }
        guard header.encoding == .plain || header.encoding == .plainDictionary else {
            throw ParquetDamage("a dictionary has an unknown encoding")
        }
        try codec.checkSize(header.uncompressedBytes, from: header.compressedBytes)
        let region = try memory.take(max(header.uncompressedBytes, 1))
        dictionary = region
        try unpack(header, into: region.address)
        return ParquetPage.Dictionary(
            entries: header.values, bytes: ParquetBytes(region.address, count: header.uncompressedBytes))
    }

    private func readData(_ header: ParquetPageHeader) throws -> ParquetPage.Data {
        try codec.checkSize(header.uncompressedBytes, from: header.compressedBytes)
        let region = try pageMemory(header.uncompressedBytes)
        try unpack(header, into: region.address)
        var bytes = ParquetBytes(region.address, count: header.uncompressedBytes)
        var page = ParquetPage.Data(values: header.values, encoding: header.encoding, bytes: bytes)
        if leaf.repetition > 0 {
            page.repetitions = try LevelDecoder(
                from: &bytes, header.repetitionEncoding, values: header.values, largest: leaf.repetition)
        }
        if leaf.definition > 0 {
            page.definitions = try LevelDecoder(
                from: &bytes, header.definitionEncoding, values: header.values, largest: leaf.definition)
        }
        page.bytes = bytes
        return page
    }

    /// Levels of pages v2 stand uncompressed before the values.
    private func readDataV2(_ header: ParquetPageHeader) throws -> ParquetPage.Data {
        let levelBytes = header.repetitionBytes + header.definitionBytes
        guard levelBytes <= header.compressedBytes, levelBytes <= header.uncompressedBytes else {
            throw ParquetDamage("a page's levels are larger than the page")
        }
        var body = header
        body.compressedBytes -= levelBytes
        body.uncompressedBytes -= levelBytes
        if !header.isCompressed && body.compressedBytes != body.uncompressedBytes {
            throw ParquetDamage("a page has two sizes")
        }
        try codec.checkSize(body.uncompressedBytes, from: body.compressedBytes)
        let region = try pageMemory(header.uncompressedBytes)
        let whole = try input.window(header.compressedBytes)
        region.address.copyMemory(from: whole.baseAddress ?? UnsafeRawPointer(region.address), byteCount: levelBytes)
        input.skip(levelBytes)
        if header.isCompressed && body.uncompressedBytes > 0 {
            try unpack(body, into: region.address + levelBytes)
        } else {
            let bytes = try input.window(body.compressedBytes)
            let count = min(body.compressedBytes, body.uncompressedBytes)
            if let from = bytes.baseAddress { memcpy(region.address + levelBytes, from, count) }
            input.skip(body.compressedBytes)
        }
        var bytes = ParquetBytes(region.address, count: header.uncompressedBytes)
        var page = ParquetPage.Data(values: header.values, encoding: header.encoding, bytes: bytes)
        let repetitions = try bytes.take(header.repetitionBytes)
        if leaf.repetition > 0 { page.repetitions = try LevelDecoder(runs: repetitions, largest: leaf.repetition) }
        let definitions = try bytes.take(header.definitionBytes)
        if leaf.definition > 0 { page.definitions = try LevelDecoder(runs: definitions, largest: leaf.definition) }
        page.bytes = bytes
        return page
    }
}
