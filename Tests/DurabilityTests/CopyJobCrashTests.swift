import Glibc
import Platform
import TestSupport
import Testing
import Warehouse

/// A crash after any operation of COPY JOB RUN: the run after the next start loads each file once, whether the one
/// before had become durable or not.
@Suite struct CopyJobCrashTests {
    private let workload = Workload(name: "copy job", statements: [])

    @Test(arguments: [1 << 26, 1 << 10]) func eachFileIsLoadedOnce(checkpointBytes: Int) throws {
        var workload = workload
        workload.checkpointBytes = checkpointBytes
        let disk = SimulatedDisk()
        let warehouse = try workload.open(disk)
        let session = try warehouse.connect()
        try session.query("create table t (a int, b varchar(20))")
        try session.query("copy t from '\(LoadFiles.path)' csv job create j auto off")
        disk.mark(0)
        try session.query("copy job run j")
        disk.mark(1)
        try session.query("insert into t select a, 'more' from t where a < 0")
        warehouse.close()
        var model = DiskModel()
        var isReady = false
        for (number, operation) in disk.journal.enumerated() {
            if isReady && (CrashTests.isLong || number % 3 == 0) {
                for (loss, image) in CrashTests.images(model, operation, seed: UInt64(number)) {
                    try check(image, workload, "operation \(number), \(loss)")
                }
            }
            model.apply(operation)
            if case .mark = operation { isReady = true }
        }
        try check(model, workload, "the end")
    }

    private func check(_ image: DiskModel, _ workload: Workload, _ place: String) throws {
        let warehouse = try workload.open(SimulatedDisk(image))
        defer { warehouse.close() }
        let session = try warehouse.connect()
        for round in 1...2 {
            try session.query("copy job run j")
            let found = try session.query(
                "select count(*), sum(a), (select count(*) from sys_copy_job_detail where loaded_rows = 40) from t")
            // 40 rows with the numbers 0 to 39.
            #expect((0..<3).map { found.text(row: 0, column: $0) } == ["40", "780", "1"], "\(place), round \(round)")
        }
    }
}
