import Catalog
import Platform
import QueryPlan
import SQLTypes
import Synchronization
import Testing

@testable import VectorEngine

/// Temporary files on a disk that fails: a clear error, nothing left behind, and the next statement works.
@Suite struct SpillFaultTests {
    /// Counts operations that write and lets a number of them through.
    private final class FullDisk: FileSystem {
        let base = LocalFileSystem()
        let left: Atomic<Int>
        let done = Atomic<Int>(0)
        init(after operations: Int) { left = Atomic(operations) }

        func step(_ path: String) throws {
            done.add(1, ordering: .relaxed)
            if left.subtract(1, ordering: .relaxed).newValue < 0 {
                throw PlatformError(
                    kind: .diskFull, operation: "write file", path: path, text: "No space left on device")
            }
        }
        func open(_ path: String, _ mode: OpenMode) throws -> any OpenFile {
            try step(path)
            return FullFile(try base.open(path, mode), self)
        }
        func rename(_ from: String, to: String) throws { try base.rename(from, to: to) }
        func link(_ existing: String, at path: String) throws { try base.link(existing, at: path) }
        func remove(_ path: String) throws { try base.remove(path) }
        func removeDirectory(_ path: String) throws { try base.removeDirectory(path) }
        func removeTree(_ path: String) throws { try base.removeTree(path) }
        func makeDirectories(_ path: String) throws { try base.makeDirectories(path) }
        func list(_ path: String) throws -> [String] { try base.list(path) }
        func status(_ path: String) throws -> FileStatus? { try base.status(path) }
        func openDirectory(_ path: String) throws -> any OpenDirectory { try base.openDirectory(path) }
        func lock(_ path: String) throws -> any FileLock { try base.lock(path) }
    }

    private final class FullFile: OpenFile {
        let base: any OpenFile
        let disk: FullDisk
        init(_ base: any OpenFile, _ disk: FullDisk) {
            self.base = base
            self.disk = disk
        }
        var path: String { base.path }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            try base.read(into: buffer, at: offset)
        }
        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
            try disk.step(path)
            try base.write(bytes, at: offset)
        }
        func append(_ bytes: UnsafeRawBufferPointer) throws { try base.append(bytes) }
        func synchronize() throws { try base.synchronize() }
        func truncate(to size: Int64) throws { try base.truncate(to: size) }
        func size() throws -> Int64 { try base.size() }
    }

    private let directory = "/tmp/redbarn-spill-\(SystemTime().monotonicNanoseconds())"

    /// 120,000 rows ordered by a number; less than a tenth of them fits.
    private var plan: PhysicalPlan {
        let digit = PlanFixture.column(1, .bigint), wide = PlanFixture.column(2, .bigint)
        let a = PlanFixture.values([digit], (0..<400).map { [.integer(Int128($0))] })
        let b = PlanFixture.values([wide], (0..<300).map { [.integer(Int128($0 * 977 % 300))] })
        let join = PhysicalJoin(kind: .inner, method: .nestedLoop, keys: [], residual: [], label: .none)
        let pairs = PlanFixture.plan(.join(join), [a, b], [digit, wide])
        let items = [digit, wide].map {
            SortItem(expression: .column($0.id, $0.type), descending: true, nullsFirst: false)
        }
        return PlanFixture.plan(.sort(items), [pairs], [digit, wide])
    }

    private func fixture(_ disk: FullDisk) throws -> PlanFixture {
        var fixture = PlanFixture()
        fixture.memoryLimit = 1_500_000
        fixture.temporary = try TemporaryArea(
            directory: directory, fileSystem: disk, limitBytes: 1 << 30, memoryBytes: 1_500_000)
        return fixture
    }

    @Test func fullDiskIsAnErrorAndLeavesNothing() throws {
        defer { try? LocalFileSystem().removeTree(directory) }
        let unlimited = FullDisk(after: .max)
        let whole = try fixture(unlimited)
        let rows = try whole.run(plan)
        #expect(rows.count == 120_000)
        #expect(rows.first == [.integer(399), .integer(299)])
        #expect(rows.last == [.integer(0), .integer(0)])
        #expect(try #require(whole.temporary).peak > 1_000_000, "nothing was spilled")
        let operations = unlimited.done.load(ordering: .relaxed)
        #expect(operations > 10)
        // How many there are depends on how the workers share the rows: any run has the first half of them.
        for number in stride(from: 0, to: operations / 2, by: max(operations / 25, 1)) {
            let disk = FullDisk(after: number)
            let fixture = try fixture(disk)
            let error = #expect(throws: SQLError.self, "operation \(number)") { try fixture.run(plan) }
            #expect(error?.state == .diskFull)
            #expect(error?.hint?.isEmpty == false)
            #expect(try #require(fixture.temporary).used == 0)
            #expect(try LocalFileSystem().list(directory) == [])
            disk.left.store(.max, ordering: .relaxed)
            #expect(try fixture.run(plan).count == 120_000)
        }
    }

    @Test func limitOfTheAreaIsAnError() throws {
        defer { try? LocalFileSystem().removeTree(directory) }
        var fixture = PlanFixture()
        fixture.memoryLimit = 1_500_000
        let area = try TemporaryArea(
            directory: directory, fileSystem: LocalFileSystem(), limitBytes: 1 << 20, memoryBytes: 1_500_000)
        fixture.temporary = area
        let error = #expect(throws: SQLError.self) { try fixture.run(plan) }
        #expect(error?.state == .diskFull)
        #expect(area.used == 0)
    }

    /// What a process that was killed has left is removed by the next one.
    @Test func leftFilesAreRemoved() throws {
        let files = LocalFileSystem()
        defer { try? files.removeTree(directory) }
        try files.makeDirectories(directory)
        _ = try files.open(directory + "/spill-7", .create)
        _ = try TemporaryArea(directory: directory, fileSystem: files, limitBytes: 1, memoryBytes: 1)
        #expect(try files.status(directory) == nil)
    }
}
