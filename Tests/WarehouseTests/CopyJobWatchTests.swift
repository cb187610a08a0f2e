import Glibc
import Platform
import SQLTypes
import Testing
import Warehouse

/// Jobs with AUTO ON: files are loaded as they come, each once, also across restarts, and in the owner's name.
@Suite final class CopyJobWatchTests {
    private let folder = "/tmp/redbarn-jobs-\(SharedRandom().bytes(8).map { String($0) }.joined())"

    init() throws { try LocalFileSystem().makeDirectories(folder + "/in") }
    deinit { try? LocalFileSystem().removeTree(folder) }

    private func write(_ name: String, _ text: String) throws {
        let aside = folder + "/.aside"
        let file = try LocalFileSystem().open(aside, .replace)
        try Array(text.utf8).withUnsafeBytes { try file.append($0) }
        try LocalFileSystem().rename(aside, to: folder + "/in/" + name)
    }

    private func open() throws -> Warehouse {
        var options = WarehouseOptions()
        options.workers = 1
        options.synchronize = false
        return try Warehouse(directory: folder + "/warehouse", options: options)
    }

    private func value(_ session: Session, _ sql: String) throws -> String {
        try session.query(sql).text(row: 0, column: 0) ?? "NULL"
    }

    /// Rounds of maintenance come every two seconds, and a file is taken at the second look.
    private func wait(_ session: Session, _ sql: String, for expected: String) throws -> Bool {
        for _ in 0..<300 {
            if try value(session, sql) == expected { return true }
            usleep(100_000)
        }
        return false
    }

    @Test func filesAreLoadedAsTheyCome() throws {
        var warehouse = try open()
        var session = try warehouse.connect()
        try session.query("create user loader password 'Secret123'")
        try session.query("create table t (a int)")
        try session.query("grant insert on t to loader")
        try write("one", "1\n2\n")
        let theirs = try warehouse.connect(user: "loader")
        try theirs.query("copy t from '\(folder)/in/' job create j")
        try theirs.close()
        #expect(try wait(session, "select count(*) from t", for: "2"))

        // One of several is bad: the others are loaded, and it is noted.
        try write("bad", "x\n")
        try write("two", "3\n")
        try write("three", "4\n")
        let detail = "select count(*) from sys_copy_job_detail where file_status = "
        #expect(try wait(session, detail + "'failed'", for: "1"))
        #expect(try wait(session, "select sum(a) from t", for: "10"))
        #expect(try value(session, detail + "'ingested'") == "3")
        #expect(
            try value(session, "select error_message from sys_copy_job_detail where file_name like '%/bad'")
                .contains("Load into table 't' failed"))
        let owner =
            "select count(*) from stl_load_commits c, pg_user u where u.usesysid = c.userid and usename = 'loader'"
        #expect(try value(session, owner) == "3")
        try session.close()
        warehouse.close()

        warehouse = try open()
        session = try warehouse.connect()
        try write("four", "5\n")
        #expect(try wait(session, "select sum(a) from t", for: "15"))
        usleep(5_000_000)
        #expect(try value(session, "select count(*) from t") == "5")

        // Without the right nothing is loaded, and that is told.
        try session.query("revoke insert on t from loader")
        try write("five", "6\n")
        #expect(try wait(session, "select status from sys_copy_job_info", for: "failing"))
        #expect(try value(session, "select error_message from sys_copy_job_info").contains("permission denied"))
        #expect(try value(session, "select count(*) from t") == "5")
        try session.query("grant insert on t to loader")
        #expect(try wait(session, "select sum(a) from t", for: "21"))
        #expect(try wait(session, "select status from sys_copy_job_info", for: "watching"))

        // A block that has locked the table is waited for without holding anything else up.
        let blocking = try warehouse.connect()
        try blocking.query("begin; lock t")
        try write("six", "7\n")
        #expect(
            try wait(
                session, "select error_message from sys_copy_job_info", for: "another transaction has locked the table")
        )
        try blocking.query("rollback")
        try blocking.close()
        #expect(try wait(session, "select sum(a) from t", for: "28"))

        // What failed is tried again by hand.
        try write("bad", "100\n")
        try session.query("copy job run j")
        #expect(try value(session, "select sum(a) from t") == "128")
        #expect(try value(session, detail + "'failed'") == "0")
        try session.close()
        warehouse.close()
    }
}
