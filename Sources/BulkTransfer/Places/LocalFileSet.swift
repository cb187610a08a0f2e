import Glibc
import Platform
import SQLTypes

/// Files of the local disk. They are written under hidden names in their own folders, so that publishing them is
/// renaming, which needs no room and cannot fail half-way through a file.
///
/// A lock guards the list; the files themselves belong to whoever writes them.
final class LocalFileSet: OutputFileSet {
    private struct File {
        var temporary: String
        var final: String
        var name: String
    }
    private struct State {
        var prefix: String
        /// See ``useFolder()``.
        var isFolder = false
        var files: [File] = []
        /// Made for these files, parents first.
        var folders: [String] = []
        var known: Set<String> = []
        var number = 0
    }
    static let hiddenPrefix = ".redbarn-unload-"
    private let place: LocalPlace
    private let fileSystem: any FileSystem
    private let token: String
    private let state: Lock<State>

    init(_ place: LocalPlace, _ fileSystem: any FileSystem) {
        self.place = place
        self.fileSystem = fileSystem
        token = "\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        state = Lock(State(prefix: place.path))
    }

    private var prefix: String { state.withLock { $0.prefix } }

    func shown(_ name: String) -> String { place.shown(prefix + name) }

    func useFolder() {
        state.withLock { state in
            state.isFolder = true
            if !state.prefix.hasSuffix("/") { state.prefix += "/" }
        }
    }

    func checkEmpty() throws {
        let (prefix, isFolder) = state.withLock { ($0.prefix, $0.isFolder) }
        try place.check(FilePath.parent(prefix), "UNLOAD", "write to")
        if let first = try existing(prefix, recursive: place.isObject || isFolder).first { throw occupied(first) }
    }

    private func existing(_ prefix: String, recursive: Bool) throws -> [String] {
        let showsHidden = place.isObject || FilePath.name(prefix).hasPrefix(".")
        return try place.files(prefix: prefix, fileSystem, recursive: recursive, for: ("UNLOAD", "write to")) {
            !$0.hasPrefix(LocalFileSet.hiddenPrefix) && (showsHidden || !$0.hasPrefix("."))
        }
    }

    private func occupied(_ path: String) -> SQLError { OutputReplacement.occupied(place.shown(path)) }

    // MARK: Writing aside

    /// Notes are a file beside the file.
    func create(_ name: String, notes: ObjectNotes?) throws -> any OutputObject {
        if let notes {
            let file = try createFile(name + ObjectNotes.fileSuffix)
            try notes.file.withUnsafeBytes { try file.append($0) }
            try file.close()
        }
        return try createFile(name)
    }

    private func createFile(_ name: String) throws -> any OutputObject {
        let path = prefix + name
        if name.utf8.contains(0) || FilePath.name(path).utf8.count > 255 {
            throw SQLError(.invalidParameterValue, "\"\(place.shown(path))\" is no file name")
        }
        let folder = FilePath.parent(path)
        try prepare(folder)
        let temporary = state.withLock { state in
            state.number += 1
            let temporary = FilePath.join(folder, "\(LocalFileSet.hiddenPrefix)\(token)-\(state.number)")
            state.files.append(File(temporary: temporary, final: path, name: name))
            return temporary
        }
        return LocalOutputObject(try fileSystem.open(temporary, .create), temporary, fileSystem)
    }

    /// Makes the folder where it is missing, within what is allowed. One thread at a time.
    private func prepare(_ folder: String) throws {
        try state.withLock { state in
            if state.known.contains(folder) { return }
            try place.check(folder, "UNLOAD", "write to")
            var missing: [String] = []
            var path = folder
            while try fileSystem.status(path) == nil {
                missing.append(path)
                let parent = FilePath.parent(path)
                if parent == path { break }
                path = parent
            }
            for path in missing.reversed() {
                state.folders.append(path)
                try fileSystem.makeDirectories(path)
            }
            // Somebody may have put a link in its place meanwhile.
            try place.check(folder, "UNLOAD", "write to")
            state.known.insert(folder)
        }
    }

    // MARK: Publication

    func publish(last: String?, replacing: OutputReplacement) throws -> [String] {
        var (files, prefix) = state.withLock { ($0.files, $0.prefix) }
        files.sort { ($0.name == last ? 1 : 0, $0.name) < ($1.name == last ? 1 : 0, $1.name) }
        var moves = Moves(fileSystem)
        var asides: [String] = []
        do {
            let old = try replaced(files, prefix, replacing)
            for (index, path) in old.enumerated() {
                let aside = FilePath.join(
                    FilePath.parent(path), "\(LocalFileSet.hiddenPrefix)\(token)-old-\(index)")
                try moves.move(path, aside)
                asides.append(aside)
            }
            for file in files { try publish(file, &moves) }
            state.withLock { state in
                state.files = []
                state.folders = []
            }
            return (asides + moves.linked).filter { !removes($0) }.map(place.shown)
        } catch {
            moves.undo()
            throw error
        }
    }

    /// What is in the way and may go.
    private func replaced(
        _ files: [File], _ prefix: String, _ replacing: OutputReplacement
    ) throws -> [String] {
        switch replacing {
        case .none: return []
        case .overwrite:
            // Notes of a file that goes are not those of the file that comes.
            let paths = Set(files.flatMap { [$0.final, $0.final + ObjectNotes.fileSuffix] }).sorted()
            return try paths.filter { path in
                guard let status = try fileSystem.status(path) else { return false }
                if status.isDirectory { throw occupied(path) }
                return true
            }
        case .clean(let isPartitioned):
            guard isPartitioned else { return try existing(prefix, recursive: place.isObject) }
            let folders = Set(files.map { FilePath.parent($0.final) }).sorted()
            return try folders.flatMap { try existing($0 + "/", recursive: false) }
        }
    }

    /// A new name never replaces what somebody else has put there meanwhile.
    private func publish(_ file: File, _ moves: inout Moves) throws {
        do {
            try moves.link(file.temporary, file.final)
        } catch let error as PlatformError where error.kind == .alreadyExists {
            throw occupied(file.final)
        } catch let error as PlatformError where [.permissionDenied, .io].contains(error.kind) && error.isAboutLinks {
            // A file system without hard links.
            if try fileSystem.status(file.final) != nil { throw occupied(file.final) }
            try moves.move(file.temporary, file.final)
        }
    }

    private func removes(_ path: String) -> Bool {
        do {
            try fileSystem.remove(path)
            return true
        } catch {
            return false
        }
    }

    func abandon() {
        let state = state.withLock { state in
            defer {
                state.files = []
                state.folders = []
                state.known = []
            }
            return state
        }
        for file in state.files { _ = removes(file.temporary) }
        for folder in state.folders.reversed() {
            // A folder with something of somebody else's in it stays.
            do { try fileSystem.removeDirectory(folder) } catch { continue }
        }
    }
}

extension PlatformError {
    /// What `link` answers where there are no hard links.
    fileprivate var isAboutLinks: Bool { [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(self.errno) }
}

/// Renames that can be taken back, in the order in which they were done.
private struct Moves {
    private enum Step {
        case moved(from: String, to: String)
        case linked(temporary: String, final: String)
    }
    private let fileSystem: any FileSystem
    private var steps: [Step] = []

    init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    /// First names of files that have two.
    var linked: [String] {
        steps.compactMap { if case .linked(let temporary, _) = $0 { temporary } else { nil } }
    }

    mutating func move(_ from: String, _ to: String) throws {
        try fileSystem.rename(from, to: to)
        steps.append(.moved(from: from, to: to))
    }

    mutating func link(_ temporary: String, _ final: String) throws {
        try fileSystem.link(temporary, at: final)
        steps.append(.linked(temporary: temporary, final: final))
    }

    /// As far as the disk lets.
    mutating func undo() {
        for step in steps.reversed() {
            do {
                switch step {
                case .moved(let from, let to): try fileSystem.rename(to, to: from)
                case .linked(_, let final): try fileSystem.remove(final)
                }
            } catch { continue }
        }
        steps = []
    }
}

/// A file under its hidden name.
final class LocalOutputObject: OutputObject {
    private var file: (any OpenFile)?
    private let path: String
    private let fileSystem: any FileSystem

    init(_ file: any OpenFile, _ path: String, _ fileSystem: any FileSystem) {
        self.file = file
        self.path = path
        self.fileSystem = fileSystem
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.isEmpty { return }
        let open = try file ?? fileSystem.open(path, .update)
        file = open
        try open.append(bytes)
    }
    func rest() { file = nil }
    func close() { file = nil }
}
