import Platform
import Testing

@Suite struct LocalFileSystemTests {
    let files = LocalFileSystem()
    let root: String

    init() throws {
        root = "/tmp/redbarn-platform-\(SystemTime().monotonicNanoseconds())-\(UInt64.random(in: 0...UInt64.max))"
        try files.makeDirectories(root)
    }

    @Test func writesAppendsAndReads() throws {
        defer { try? files.removeTree(root) }
        let path = root + "/a"
        let file = try files.open(path, .create)
        try Array("hello".utf8).withUnsafeBytes { try file.append($0) }
        try Array(" world".utf8).withUnsafeBytes { try file.append($0) }
        try Array("H".utf8).withUnsafeBytes { try file.write($0, at: 0) }
        try file.synchronize()
        #expect(try files.readAll(path) == Array("Hello world".utf8))
        try file.truncate(to: 5)
        try Array("!".utf8).withUnsafeBytes { try file.append($0) }
        #expect(try files.readAll(path) == Array("Hello!".utf8))
        #expect(try files.status(path)?.size == 6)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 4) } == 2)
    }

    @Test func namesAndTrees() throws {
        defer { try? files.removeTree(root) }
        try files.makeDirectories(root + "/x/y/z")
        try files.makeDirectories(root + "/x/y/z")
        try files.replaceDurably(root + "/x/b", with: [1])
        try files.replaceDurably(root + "/x/b", with: [2])
        try files.link(root + "/x/b", at: root + "/x/a")
        try files.rename(root + "/x/b", to: root + "/x/c")
        #expect(try files.list(root + "/x") == ["a", "c", "y"])
        #expect(try files.readAll(root + "/x/a") == [2])
        try files.remove(root + "/x/a")
        try files.removeTree(root + "/x")
        try files.removeTree(root + "/x")
        #expect(try files.status(root + "/x") == nil)
    }

    @Test func errorsSayWhatHappened() throws {
        defer { try? files.removeTree(root) }
        let missing = #expect(throws: PlatformError.self) { try files.open(root + "/none", .read) }
        #expect(missing?.kind == .notFound)
        #expect(missing?.message == "could not open file \"\(root)/none\": No such file or directory")
        #expect(#expect(throws: PlatformError.self) { try files.open(root, .read) }?.kind == .isDirectory)
        _ = try files.open(root + "/f", .create)
        #expect(#expect(throws: PlatformError.self) { try files.open(root + "/f", .create) }?.kind == .alreadyExists)
        #expect(#expect(throws: PlatformError.self) { try files.makeDirectories(root + "/f/g") }?.kind == .notDirectory)
    }

    @Test func lockIsExclusive() throws {
        defer { try? files.removeTree(root) }
        let lock = try files.lock(root + "/LOCK")
        let error = #expect(throws: PlatformError.self) { try files.lock(root + "/LOCK") }
        #expect(error?.kind == .alreadyLocked)
        #expect((error?.holder ?? 0) > 0)
        lock.release()
        _ = try files.lock(root + "/LOCK")
    }
}
