import Foundation
import SQLTypes
import Warehouse

/// A statement that runs while the script goes on with other sessions.
final class StartedStatement: @unchecked Sendable {  // `outcome` is guarded by `lock`
    let sql: String
    private let session: Session
    private let lock = NSLock()
    private var outcome: Result<QueryResult, any Error>?
    private static let lookMicroseconds: UInt32 = 2_000
    private static let patienceSeconds = 20.0

    init(sql: String, _ text: String, _ session: Session) {
        self.sql = sql
        self.session = session
        Thread.detachNewThread { [self] in
            let result = Result<QueryResult, any Error> { try session.query(text) }
            lock.withLock { outcome = result }
        }
    }

    /// True as soon as the statement waits for a lock; false when it ends without, or does neither for long.
    func waitsForLock(_ warehouse: Warehouse) throws -> Bool {
        let observer = try warehouse.connect()
        defer { try? observer.close() }
        let question = "select count(*) from svv_transactions where pid = \(session.number) and not granted"
        let deadline = Date().addingTimeInterval(StartedStatement.patienceSeconds)
        while Date() < deadline {
            if lock.withLock({ outcome != nil }) { return false }
            if try observer.query(question).rows.first?.first != .integer(0) { return true }
            usleep(StartedStatement.lookMicroseconds)
        }
        return false
    }

    /// What it came to; nil when it still runs after that time.
    func result(seconds: Double) -> Result<QueryResult, any Error>? {
        let deadline = Date().addingTimeInterval(seconds)
        while true {
            if let result = lock.withLock({ outcome }) { return result }
            if Date() > deadline { return nil }
            usleep(StartedStatement.lookMicroseconds / 4)
        }
    }

    /// Nobody asks any more.
    func abandon() {
        session.cancel()
        _ = result(seconds: StartedStatement.patienceSeconds)
    }
}
