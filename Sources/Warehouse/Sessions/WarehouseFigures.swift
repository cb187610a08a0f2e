import Catalog
import ColumnStore
import Platform
import Synchronization

/// What a server shows of a warehouse to those who watch it.
package struct WarehouseFigures: Sendable {
    package struct Memory: Sendable {
        package var account: String
        package var bytes: Int
    }
    /// As in STV_PROCESS_MEMORY.
    package var memory: [Memory]
    package var activeSessions: Int
    package var idleSessions: Int
    /// Of the log that a checkpoint has not yet written to parts.
    package var logBytes: Int
    package var checkpoints: Int
    package var failedCheckpoints: Int
    /// Of the file system in which the warehouse lies; nil where it does not tell.
    package var disk: (freeBytes: Int, totalBytes: Int)?
    package var loadedRows: Int
    package var loadedBytes: Int
    package var refusedRows: Int
}

extension Warehouse {
    package func figures() -> WarehouseFigures {
        let sessions = sessions.all.filter { !$0.isAutomatic }
        let active = sessions.count { $0.statement != nil }
        let checkpoints = store.checkpointCounts
        return WarehouseFigures(
            memory: memoryAccounts().map { WarehouseFigures.Memory(account: $0.name, bytes: $0.bytes) },
            activeSessions: active, idleSessions: sessions.count - active, logBytes: store.logBytes,
            checkpoints: checkpoints.done, failedCheckpoints: checkpoints.failed, disk: DiskSpace.of(directory),
            loadedRows: log.loads.rows.load(ordering: .relaxed), loadedBytes: log.loads.bytes.load(ordering: .relaxed),
            refusedRows: log.loads.errors.load(ordering: .relaxed))
    }

    /// A login that a server has refused.
    /// - Parameter reason: empty for a wrong password.
    package func noteRefusal(_ client: ClientFacts, reason: String) {
        let accounts = store.snapshot().catalog.accounts
        log.add(
            refusal: WarehouseLog.Connection(
                event: .refused, microseconds: time.wallMicroseconds(), session: 0,
                user: accounts.user(named: client.user)?.id ?? 0, client: client, reason: reason))
    }
}
