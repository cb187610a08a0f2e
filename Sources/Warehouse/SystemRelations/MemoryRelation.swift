import Platform
import SQLTypes
import VectorEngine

/// One line of the account of a process's memory.
struct MemoryAccount: Sendable {
    var name: String
    var bytes: Int
    var meaning: String
}

/// What the process's memory is taken for; docs/memory.md explains the lines.
enum MemoryRelation {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stv_process_memory", "account varchar(32), bytes bigint, meaning varchar(128)",
            rows: { snapshot, sink in
                for account in snapshot.memory() {
                    try sink.add([.text(account.name), .number(account.bytes), .text(account.meaning)])
                }
            })
    ]
}

extension Warehouse {
    /// The figures are of slightly different moments: nothing stops for them.
    func memoryAccounts() -> [MemoryAccount] {
        let heap = ProcessHeap.usage(), regions = MemoryRegions.shared
        return [
            MemoryAccount(name: "limit", bytes: budget.limit, meaning: "what --memory says"),
            MemoryAccount(
                name: "resident", bytes: HostEnvironment.residentMemory(), meaning: "the process in main memory"),
            MemoryAccount(
                name: "reserved", bytes: budget.used, meaning: "by statements, loads, waiting results and the cache"),
            MemoryAccount(
                name: "cache", bytes: budget.cached - results.byteCount, meaning: "of reserved: blocks of tables"),
            MemoryAccount(
                name: "results", bytes: results.byteCount, meaning: "of reserved: results kept for the same queries"),
            MemoryAccount(
                name: "outside", bytes: budget.outside, meaning: "reserved by nobody, taken off what may be reserved"),
            MemoryAccount(
                name: "regions", bytes: regions.bytes - regions.keptBytes,
                meaning: "large pieces in use, those of the cache included"),
            MemoryAccount(name: "kept", bytes: regions.keptBytes, meaning: "large pieces kept for the next statement"),
            MemoryAccount(name: "heap", bytes: heap.usedBytes, meaning: "small pieces in use"),
            MemoryAccount(name: "heap_free", bytes: heap.freeBytes, meaning: "free, but not given back to the system"),
            MemoryAccount(name: "temporary", bytes: temporary.used, meaning: "temporary files, on disk"),
        ]
    }
}
