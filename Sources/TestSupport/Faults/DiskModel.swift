import Platform

/// What a disk holds: what programs see, and what a power failure would leave. Bytes become durable when their file is
/// synchronised, names when their directory is.
package struct DiskModel: Sendable {
    /// Something that changes a disk.
    package enum Operation: Sendable {
        case write(inode: Int, offset: Int, bytes: [UInt8])
        case truncate(inode: Int, size: Int)
        case synchronize(inode: Int)
        case name(NameChange)
        case synchronizeDirectory(String)
        /// Nothing on the disk: something that a test wants to find again.
        case mark(Int)
    }
    package enum NameChange: Sendable {
        case link(String, inode: Int)
        case unlink(String)
        case rename(String, to: String, inode: Int)
        case makeDirectory(String)
        case removeDirectory(String)

        var directories: [String] {
            switch self {
            case .link(let path, _), .unlink(let path), .makeDirectory(let path), .removeDirectory(let path):
                [FilePath.parent(path)]
            case .rename(let from, let to, _): [FilePath.parent(from), FilePath.parent(to)]
            }
        }
    }
    /// What a crash leaves of the bytes and names that nobody has synchronised.
    package enum Loss: Sendable {
        /// Everything stays: only the process has died.
        case nothing
        /// Everything goes.
        case unsynchronized
        /// Any sector, any name may stay or go.
        case random(seed: UInt64)
    }

    struct Names: Sendable {
        var files: [String: Int] = [:]
        var directories: Set<String> = ["/"]

        mutating func apply(_ change: NameChange) {
            switch change {
            case .link(let path, let inode): files[path] = inode
            case .unlink(let path): files[path] = nil
            case .rename(let from, let to, let inode):
                files[from] = nil
                files[to] = inode
            case .makeDirectory(let path): directories.insert(path)
            case .removeDirectory(let path): directories.remove(path)
            }
        }
    }
    struct Content: Sendable {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        var unsynchronized: [Operation] = []
    }

    static let sector = 512
    private(set) var names = Names()
    private(set) var contents: [Content] = []
    private var durableNames = Names()
    private var changes: [NameChange] = []

    package init() {}

    mutating func makeInode() -> Int {
        contents.append(Content())
        return contents.count - 1
    }

    package mutating func apply(_ operation: Operation) {
        switch operation {
        case .write(let inode, _, _), .truncate(let inode, _):
            while contents.count <= inode { contents.append(Content()) }
            DiskModel.apply(operation, to: &contents[inode].bytes)
            contents[inode].unsynchronized.append(operation)
        case .synchronize(let inode):
            for change in contents[inode].unsynchronized { DiskModel.apply(change, to: &contents[inode].durable) }
            contents[inode].unsynchronized = []
        case .name(let change):
            if case .link(_, let inode) = change { while contents.count <= inode { contents.append(Content()) } }
            names.apply(change)
            changes.append(change)
        case .synchronizeDirectory(let path):
            for change in changes where change.directories.contains(path) { durableNames.apply(change) }
            changes.removeAll { $0.directories.contains(path) }
        case .mark: break
        }
    }

    private static func apply(_ operation: Operation, to bytes: inout [UInt8]) {
        switch operation {
        case .write(_, let offset, let more):
            if bytes.count < offset + more.count {
                bytes.append(contentsOf: repeatElement(0, count: offset + more.count - bytes.count))
            }
            bytes.replaceSubrange(offset..<offset + more.count, with: more)
        case .truncate(_, let size):
            if bytes.count > size { bytes.removeLast(bytes.count - size) }
            if bytes.count < size { bytes.append(contentsOf: repeatElement(0, count: size - bytes.count)) }
        default: break
        }
    }

    /// A synchronisation has failed: what it was to make durable may be gone for good, whatever comes later.
    mutating func forget(inode: Int) { contents[inode].unsynchronized = [] }

    /// The disk that the next start finds.
    package func crashed(_ loss: Loss) -> DiskModel {
        var result = self
        switch loss {
        case .nothing: break
        case .unsynchronized:
            result.names = durableNames
            for inode in contents.indices { result.contents[inode].bytes = contents[inode].durable }
        case .random(let seed):
            var random = SplitMix(state: seed)
            result.names = durableNames
            for change in changes where random.flip() { result.names.apply(change) }
            for inode in contents.indices { result.contents[inode].bytes = some(of: contents[inode], &random) }
        }
        // What lies in a directory without a name is lost with it.
        let directories = result.names.directories
        func exists(_ directory: String) -> Bool {
            directory == "/" || directories.contains(directory) && exists(FilePath.parent(directory))
        }
        result.names.files = result.names.files.filter { exists(FilePath.parent($0.key)) }
        result.names.directories = directories.filter(exists)
        result.durableNames = result.names
        result.changes = []
        for inode in result.contents.indices {
            result.contents[inode].durable = result.contents[inode].bytes
            result.contents[inode].unsynchronized = []
        }
        return result
    }

    /// Sectors of writes that had not been synchronised, each there or not.
    private func some(of content: Content, _ random: inout SplitMix) -> [UInt8] {
        var bytes = content.durable
        for operation in content.unsynchronized {
            guard case .write(let inode, let offset, let more) = operation else {
                if random.flip() { DiskModel.apply(operation, to: &bytes) }
                continue
            }
            var start = 0
            while start < more.count {
                let border = (offset + start) / DiskModel.sector * DiskModel.sector + DiskModel.sector
                let end = min(border - offset, more.count)
                if random.flip() {
                    let piece = Operation.write(inode: inode, offset: offset + start, bytes: Array(more[start..<end]))
                    DiskModel.apply(piece, to: &bytes)
                }
                start = end
            }
        }
        return bytes
    }
}

/// A small generator whose numbers a seed decides.
struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
    mutating func flip() -> Bool { next() & 1 == 1 }
}
