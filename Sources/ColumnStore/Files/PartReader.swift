import ColumnVectors
import Platform
import SQLTypes

/// Opens part files and reads checked pieces of them.
enum PartReader {
    static func damaged(_ path: String, column: Int32?, _ what: String) -> SQLError {
        let place = column.map { ", column id \($0)" } ?? ""
        return SQLError(
            .dataCorrupted, "file \"\(path)\"\(place) is damaged: \(what)",
            hint: "Restore the file from a backup, or load the table again.")
    }

    /// Reads and verifies header, footer and dictionaries.
    static func open(
        _ path: String, copies: [String], fileSystem: any FileSystem, cache: BlockCache,
        folders: TableFolders? = nil
    ) throws -> PartFile {
        let file: any OpenFile
        let size: Int
        do {
            file = try fileSystem.open(path, .read)
            size = Int(try file.size())
        } catch {
            throw SQLError(error)
        }
        guard size >= PartFormat.headLength + PartFormat.tailLength else {
            throw damaged(path, column: nil, "too short")
        }
        let (footer, footerStart) = try readFooter(file, size)
        let head = try readBytes(file, 0, PartFormat.headLength)
        guard head == PartFormat.head(footer.id), footerStart >= PartFormat.headLength else {
            throw damaged(path, column: nil, "wrong header")
        }
        let dictionaries = try footer.columns.map { column in
            try column.dictionary.map { try readDictionary(file, $0, column: column.id) }
        }
        return PartFile(
            path: path, copies: copies, footer: footer, dictionaries: dictionaries, byteCount: size,
            fileSystem: fileSystem, cache: cache, handle: file, folders: folders)
    }

    private static func readFooter(_ file: any OpenFile, _ size: Int) throws -> (PartFooter, Int) {
        let tailStart = size - PartFormat.tailLength
        let tail = try readBytes(file, tailStart, PartFormat.tailLength)
        guard Array(tail[12...]) == PartFormat.tailMagic else {
            throw damaged(file.path, column: nil, "no end mark, the file is cut or not a part")
        }
        var reader = BinaryReader(tail, to: 12, file: file.path)
        let checksum = try reader.get(UInt32.self)
        let length = Int(try reader.get(UInt32.self))
        guard try reader.get(UInt32.self) == CRC32C.checksum(Array(tail[..<8])), length <= PartFormat.largestFooter,
            length <= tailStart - PartFormat.headLength
        else { throw damaged(file.path, column: nil, "wrong end of file") }
        let start = tailStart - length
        let bytes = try readBytes(file, start, length)
        guard CRC32C.checksum(bytes) == checksum else {
            throw damaged(file.path, column: nil, "checksum mismatch in the footer")
        }
        var body = BinaryReader(bytes, file: file.path)
        return (try PartFooter(&body, dataEnd: start), start)
    }

    private static func readBytes(_ file: any OpenFile, _ offset: Int, _ count: Int) throws -> [UInt8] {
        var got = 0
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
                got = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: Int64(offset))
                used = got
            }
        } catch {
            throw SQLError(error)
        }
        guard got == count else { throw damaged(file.path, column: nil, "unexpected end of file") }
        return bytes
    }

    private static func readDictionary(
        _ file: any OpenFile, _ descriptor: DictionaryDescriptor, column: Int32
    ) throws -> TextDictionary {
        let region: Region
        do { region = try MemoryRegions.shared.take(bytes: max(descriptor.rawLength, 1)) } catch {
            throw SQLError(error)
        }
        defer { MemoryRegions.shared.give(back: region) }
        if descriptor.rawLength > 0 {
            try readPiece(
                file, offset: descriptor.offset, storedLength: descriptor.storedLength,
                rawLength: descriptor.rawLength, outer: descriptor.outer, checksum: descriptor.checksum,
                column: column, into: region.address)
        }
        let heap = region.address.assumingMemoryBound(to: UInt8.self) + descriptor.count * 4
        var views: [StringView] = []
        views.reserveCapacity(descriptor.count)
        var position = 0
        for index in 0..<descriptor.count {
            let length = Int(region.address.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            guard length <= descriptor.heapLength - position else {
                throw damaged(file.path, column: column, "inconsistent dictionary")
            }
            views.append(length == 0 ? .empty : StringView(heap + position, count: length))
            position += length
        }
        return TextDictionary(orderedDistinct: views)
    }

    /// Reads stored bytes, checks them, and leaves the raw bytes at `target`, which has room for them and padding.
    static func readPiece(
        _ file: any OpenFile, offset: Int, storedLength: Int, rawLength: Int, outer: OuterEncoding, checksum: UInt32,
        column: Int32, into target: UnsafeMutableRawPointer
    ) throws {
        let region: Region?
        do {
            region = outer == .none ? nil : try MemoryRegions.shared.take(bytes: storedLength)
        } catch {
            throw SQLError(error)
        }
        defer { if let region { MemoryRegions.shared.give(back: region) } }
        let stored = UnsafeMutableRawBufferPointer(start: region?.address ?? target, count: storedLength)
        do {
            guard try file.read(into: stored, at: Int64(offset)) == storedLength else {
                throw damaged(file.path, column: column, "unexpected end of file")
            }
        } catch {
            throw SQLError(error)
        }
        guard CRC32C.checksum(UnsafeRawBufferPointer(stored)) == checksum else {
            throw damaged(file.path, column: column, "checksum mismatch")
        }
        if outer == .none { return }
        let raw = UnsafeMutableRawBufferPointer(start: target, count: rawLength)
        guard outer.decompress(UnsafeRawBufferPointer(stored), into: raw) else {
            throw damaged(file.path, column: column, "cannot be decompressed")
        }
    }
}
