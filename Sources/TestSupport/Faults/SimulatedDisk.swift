import Platform

/// A file system in memory that remembers every operation, so that a test can have the disk as it was after any of
/// them, and that fails when it is told to. Safe from any thread.
package final class SimulatedDisk: FileSystem {
    /// What goes wrong, once or from then on.
    package struct Fault: Sendable {
        package enum Kind: Sendable, CaseIterable {
            case io
            case diskFull
            /// Half of the bytes are written; operations without bytes fail as a whole.
            case shortWrite
        }
        /// The operation, counted from 0.
        package var operation: Int
        package var kind: Kind
        package var isPermanent: Bool
        package init(operation: Int, kind: Kind, isPermanent: Bool) {
            self.operation = operation
            self.kind = kind
            self.isPermanent = isPermanent
        }
    }
    /// No descriptor is free at an opening of a file or directory, counted from 0, once or from then on.
    package struct HandleFault: Sendable {
        package var opening: Int
        package var isPermanent: Bool
        package init(opening: Int, isPermanent: Bool = false) {
            self.opening = opening
            self.isPermanent = isPermanent
        }
    }
    private struct State {
        var model: DiskModel
        var openings = 0
        var handleFault: HandleFault?
        var journal: [DiskModel.Operation] = []
        var count = 0
        var fault: Fault?
        var locked: Set<String> = []
    }
    private let state: Lock<State>

    package init(_ model: DiskModel = DiskModel(), fault: Fault? = nil, handleFault: HandleFault? = nil) {
        state = Lock(State(model: model, handleFault: handleFault, fault: fault))
    }

    /// Everything that was done, in order.
    package var journal: [DiskModel.Operation] { state.withLock { $0.journal } }
    /// What it holds now.
    package var model: DiskModel { state.withLock { $0.model } }
    /// Operations so far that could have failed.
    package var operationCount: Int { state.withLock { $0.count } }
    /// Openings of files and directories so far.
    package var openingCount: Int { state.withLock { $0.openings } }
    package func mark(_ number: Int) { state.withLock { $0.journal.append(.mark(number)) } }

    private static func perform(_ operation: DiskModel.Operation, _ path: String, _ state: inout State) throws {
        let number = state.count
        state.count += 1
        if let fault = state.fault, number == fault.operation || fault.isPermanent && number > fault.operation {
            switch (operation, fault.kind) {
            case (.write(let inode, let offset, let bytes), .shortWrite):
                let half = DiskModel.Operation.write(
                    inode: inode, offset: offset, bytes: Array(bytes[..<(bytes.count / 2)]))
                state.model.apply(half)
                state.journal.append(half)
            case (.synchronize(let inode), _): state.model.forget(inode: inode)
            default: break
            }
            let kind: PlatformError.Kind = fault.kind == .io ? .io : .diskFull
            throw PlatformError(kind: kind, operation: "write file", path: path, text: "simulated fault")
        }
        state.model.apply(operation)
        state.journal.append(operation)
    }

    fileprivate func perform(_ operation: DiskModel.Operation, _ path: String) throws {
        try state.withLock { try SimulatedDisk.perform(operation, path, &$0) }
    }

    fileprivate func bytes(_ inode: Int) -> [UInt8] { state.withLock { $0.model.contents[inode].bytes } }

    fileprivate func append(_ bytes: [UInt8], _ inode: Int, _ path: String) throws {
        try state.withLock { state in
            let end = state.model.contents[inode].bytes.count
            try SimulatedDisk.perform(.write(inode: inode, offset: end, bytes: bytes), path, &state)
        }
    }

    private static func takeHandle(_ path: String, _ state: inout State) throws {
        let number = state.openings
        state.openings += 1
        guard let fault = state.handleFault else { return }
        if number == fault.opening || fault.isPermanent && number > fault.opening {
            throw PlatformError(
                kind: .tooManyOpenFiles, operation: "open file", path: path, text: "Too many open files")
        }
    }

    private static func missing(_ operation: String, _ path: String) -> PlatformError {
        PlatformError(kind: .notFound, operation: operation, path: path, text: "No such file or directory")
    }

    // MARK: FileSystem

    package func open(_ path: String, _ mode: OpenMode) throws -> any OpenFile {
        try state.withLock { state in
            try SimulatedDisk.takeHandle(path, &state)
            if let inode = state.model.names.files[path] {
                if mode == .create {
                    throw PlatformError(kind: .alreadyExists, operation: "open file", path: path, text: "File exists")
                }
                if mode == .replace, !state.model.contents[inode].bytes.isEmpty {
                    try SimulatedDisk.perform(.truncate(inode: inode, size: 0), path, &state)
                }
                return SimulatedFile(path, inode, self)
            }
            if mode == .read || mode == .update { throw SimulatedDisk.missing("open file", path) }
            guard state.model.names.directories.contains(FilePath.parent(path)) else {
                throw SimulatedDisk.missing("open file", path)
            }
            let inode = state.model.makeInode()
            try SimulatedDisk.perform(.name(.link(path, inode: inode)), path, &state)
            return SimulatedFile(path, inode, self)
        }
    }

    package func rename(_ from: String, to: String) throws {
        try state.withLock { state in
            guard let inode = state.model.names.files[from] else { throw SimulatedDisk.missing("rename file", from) }
            try SimulatedDisk.perform(.name(.rename(from, to: to, inode: inode)), from, &state)
        }
    }

    package func link(_ existing: String, at path: String) throws {
        try state.withLock { state in
            guard let inode = state.model.names.files[existing] else {
                throw SimulatedDisk.missing("link file", existing)
            }
            if state.model.names.files[path] != nil {
                throw PlatformError(kind: .alreadyExists, operation: "link file", path: path, text: "File exists")
            }
            try SimulatedDisk.perform(.name(.link(path, inode: inode)), path, &state)
        }
    }

    package func remove(_ path: String) throws {
        try state.withLock { state in
            guard state.model.names.files[path] != nil else { throw SimulatedDisk.missing("remove file", path) }
            try SimulatedDisk.perform(.name(.unlink(path)), path, &state)
        }
    }

    package func removeDirectory(_ path: String) throws {
        try state.withLock { state in
            let names = state.model.names
            guard names.directories.contains(path) else { throw SimulatedDisk.missing("remove directory", path) }
            guard !names.files.keys.contains(where: { FilePath.parent($0) == path }),
                !names.directories.contains(where: { $0 != path && FilePath.parent($0) == path })
            else {
                throw PlatformError(
                    kind: .io, operation: "remove directory", path: path, text: "Directory not empty")
            }
            try SimulatedDisk.perform(.name(.removeDirectory(path)), path, &state)
        }
    }

    package func removeTree(_ path: String) throws {
        try state.withLock { state in
            for file in state.model.names.files.keys.sorted() where file == path || file.hasPrefix(path + "/") {
                try SimulatedDisk.perform(.name(.unlink(file)), file, &state)
            }
            for directory in state.model.names.directories.sorted().reversed()
            where directory == path || directory.hasPrefix(path + "/") {
                try SimulatedDisk.perform(.name(.removeDirectory(directory)), directory, &state)
            }
        }
    }

    package func makeDirectories(_ path: String) throws {
        try state.withLock { state in
            var missing: [String] = []
            var place = path
            while !state.model.names.directories.contains(place) {
                missing.append(place)
                place = FilePath.parent(place)
            }
            for directory in missing.reversed() {
                try SimulatedDisk.perform(.name(.makeDirectory(directory)), directory, &state)
            }
        }
    }

    package func list(_ path: String) throws -> [String] {
        try state.withLock { state in
            try SimulatedDisk.takeHandle(path, &state)
            guard state.model.names.directories.contains(path) else {
                throw SimulatedDisk.missing("open directory", path)
            }
            let all = Array(state.model.names.files.keys) + Array(state.model.names.directories)
            return all.filter { $0 != path && FilePath.parent($0) == path }.map(FilePath.name).sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
        }
    }

    package func status(_ path: String) throws -> FileStatus? {
        state.withLock { state in
            if state.model.names.directories.contains(path) {
                return FileStatus(size: 0, modifiedMicroseconds: 0, isDirectory: true)
            }
            guard let inode = state.model.names.files[path] else { return nil }
            return FileStatus(
                size: Int64(state.model.contents[inode].bytes.count), modifiedMicroseconds: 0, isDirectory: false)
        }
    }

    package func openDirectory(_ path: String) throws -> any OpenDirectory {
        try state.withLock { try SimulatedDisk.takeHandle(path, &$0) }
        return SimulatedDirectory(path, self)
    }

    package func lock(_ path: String) throws -> any FileLock {
        try state.withLock { state in
            guard state.locked.insert(path).inserted else {
                throw PlatformError(kind: .alreadyLocked, operation: "lock file", path: path)
            }
        }
        return SimulatedLock(path, self)
    }

    fileprivate func unlock(_ path: String) { state.withLock { _ = $0.locked.remove(path) } }
}

private final class SimulatedLock: FileLock {
    private let path: String
    private let disk: SimulatedDisk
    init(_ path: String, _ disk: SimulatedDisk) {
        self.path = path
        self.disk = disk
    }
    func release() { disk.unlock(path) }
}

private final class SimulatedDirectory: OpenDirectory {
    private let path: String
    private let disk: SimulatedDisk
    init(_ path: String, _ disk: SimulatedDisk) {
        self.path = path
        self.disk = disk
    }
    func synchronize() throws { try disk.perform(.synchronizeDirectory(path), path) }
}

private final class SimulatedFile: OpenFile {
    let path: String
    private let inode: Int
    private let disk: SimulatedDisk
    init(_ path: String, _ inode: Int, _ disk: SimulatedDisk) {
        self.path = path
        self.inode = inode
        self.disk = disk
    }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        let bytes = disk.bytes(inode)
        guard Int(offset) < bytes.count else { return 0 }
        let count = min(buffer.count, bytes.count - Int(offset))
        buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
        return count
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        try disk.perform(.write(inode: inode, offset: Int(offset), bytes: Array(bytes)), path)
    }
    func append(_ bytes: UnsafeRawBufferPointer) throws { try disk.append(Array(bytes), inode, path) }
    func synchronize() throws { try disk.perform(.synchronize(inode: inode), path) }
    func truncate(to size: Int64) throws { try disk.perform(.truncate(inode: inode, size: Int(size)), path) }
    func size() throws -> Int64 { Int64(disk.bytes(inode).count) }
}
