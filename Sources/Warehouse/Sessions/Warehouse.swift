import BulkTransfer
import Catalog
import ColumnStore
import Glibc
import Platform
import SQLTypes
import Synchronization
import VectorEngine
import Workload

@_exported import struct Catalog.ClusterShape

/// How a warehouse is opened.
public struct WarehouseOptions: Sendable {
    /// Nodes and slices for a directory that does not exist yet; one node with a slice per CPU by default.
    public var shape: ClusterShape?
    /// Worker threads of its own; by default the process's, one per CPU, which all such warehouses share.
    public var workers: Int?
    /// Bytes for everything in this process: block cache, operators, loads; three quarters of the machine's memory by
    /// default. Above a tenth of the machine's memory blocks that are out of use make way before more is taken.
    public var memoryBytes: Int?
    /// Bytes of temporary files for rows that do not fit into memory; by default 64 times the memory.
    public var temporaryBytes: Int?
    /// The database that sessions are connected to which name none.
    public var database = "dev"
    public var user = "dev"
    /// Folders that COPY may read and UNLOAD may write; nil allows everything that the process may.
    public var allowedPaths: [String]?
    /// A folder that stands for S3: COPY and UNLOAD take `s3://bucket/key` for the file `bucket/key` below it.
    public var s3Root: String?
    /// S3 itself, where no folder stands for it; nil switches `s3://` off.
    public var s3: S3Options?
    /// Queues, in the words of `wlm_json_configuration`; nil: as ALTER SYSTEM has set it.
    public var workloadConfiguration: String?
    /// Bytes of files in which the history of statements, loads and connections survives a restart; 0 keeps it in
    /// memory only.
    public var historyBytes = 64 << 20
    /// False skips fsync: for scratch warehouses and tests.
    public var synchronize = true
    /// What the store and the temporary area read and write through.
    public var fileSystem: any FileSystem = LocalFileSystem()
    /// The time that everything in it lives in, and where salts, keys and RANDOM() come from.
    package var time: any TimeSource = SystemTime()
    package var random: any RandomSource = SystemRandom()
    /// VACUUM DELETE ONLY and ANALYZE in the background while no statement runs.
    public var automaticVacuum = false
    public var automaticAnalyze = false
    /// How long no statement must have run before that.
    public var maintenanceIdleSeconds = 15.0
    /// Bytes of the log after which a checkpoint is written.
    public var checkpointBytes = StoreOptions().checkpointBytes
    /// Bytes by which the log's file grows beyond what is written.
    public var logRoomBytes = StoreOptions().logRoomBytes
    /// Where sessions say what they run, for a parent process that looks after this one.
    public var crashTable: CrashTable?
    public init() {}
}

/// A warehouse in this process: opens a directory and hands out sessions. Safe from any thread.
public final class Warehouse: Sendable {
    /// The store changes when the cluster is resized, while no statement runs.
    package var store: Store { current.withLock { $0 } }
    private let current: Lock<Store>
    let gate = StatementGate()
    let directory: String
    /// What CURRENT_NAMESPACE shows: an identifier made of where the warehouse lies.
    var namespace: String {
        let digits = Digest.sha256(Array(directory.utf8)).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
        return groups.joined(separator: "-")
    }
    private let storeOptions: StoreOptions
    public let options: WarehouseOptions
    let pool: WorkerPool
    let budget: MemoryBudget
    private let resident: ResidentMemory
    let temporary: TemporaryArea
    let log: WarehouseLog
    package let time: any TimeSource
    package let random: SharedRandom
    let alarms: AlarmClock
    package let workload: WorkloadManager
    package let queueTimes = QueueTimes()
    let scalingUsage: ScalingUsage
    let systemSettings: SystemSettings
    let shapes = StatementShapes()
    let sessions: SessionRegistry
    let transactions: TransactionRegistry
    let vacuumLog = VacuumLog()
    let analyzeLog = AnalyzeLog()
    let procedureLog = ProcedureLog()
    let refreshLog = RefreshLog()
    let compressionLog = CompressionLog()
    private let maintenance: BackgroundMaintenance
    var copyJobs: CopyJobWatch { maintenance.copyJobs }
    let plans: PlanCache
    let results: ResultCache
    let catalogLists = CatalogLists()
    private let s3: S3Service?
    let crashes: CrashHistory
    private let nextSession = Atomic<Int>(1)

    /// Opens the warehouse in a directory; creates it when there is none.
    public init(directory: String, options: WarehouseOptions = WarehouseOptions()) throws {
        let missing = CPUFeatures.missing()
        guard missing.isEmpty else {
            throw SQLError(
                .featureNotSupported, "this CPU lacks \(missing.joined(separator: ", "))",
                hint: "Build with REDBARN_PORTABLE=1 for CPUs without AVX2.")
        }
        let memory = options.memoryBytes ?? HostEnvironment.usableMemory() / 4 * 3
        (budget, resident) = try Warehouse.makeBudget(memory, isKept: options.crashTable != nil)
        plans = PlanCache(memoryBytes: memory)
        results = ResultCache(budget)
        pool = options.workers.map { WorkerPool(workers: $0) } ?? WorkerPool.shared
        self.options = options
        (time, random) = (options.time, SharedRandom(options.random))
        s3 = try options.s3.map { [time, random] in
            S3Service(
                try $0.configuration(memoryBytes: memory, options.fileSystem), time: time, random: random)
        }
        alarms = AlarmClock(time)
        sessions = SessionRegistry(time)
        transactions = TransactionRegistry(time)
        var storeOptions = StoreOptions()
        storeOptions.synchronize = options.synchronize
        storeOptions.checkpointBytes = options.checkpointBytes
        storeOptions.logRoomBytes = options.logRoomBytes
        let store = try Store.open(
            directory: directory, fileSystem: options.fileSystem, shape: options.shape, budget: budget,
            options: storeOptions)
        current = Lock(store)
        systemSettings = try SystemSettings(
            directory: directory, options.fileSystem,
            given: options.workloadConfiguration.map { [.workload: $0] } ?? [:])
        workload = try WorkloadManager(
            systemSettings.workloadConfiguration(), Warehouse.machine(memory, pool.workers, systemSettings),
            workers: pool.workers, time)
        for fault in systemSettings.faults { workload.note(error: fault, user: 0, session: 0) }
        scalingUsage = ScalingUsage(try UsageLimit.list(systemSettings.value(.usageLimits)))
        self.directory = directory
        self.storeOptions = storeOptions
        temporary = try TemporaryArea(
            directory: FilePath.join(directory, "tmp"), fileSystem: options.fileSystem,
            limitBytes: options.temporaryBytes ?? (memory < .max / 64 ? memory * 64 : .max),
            memoryBytes: memory)
        maintenance = BackgroundMaintenance(
            .init(
                analyzes: options.automaticAnalyze, vacuums: options.automaticVacuum,
                idleMicroseconds: Int64(max(0, min(options.maintenanceIdleSeconds, 86_400)) * 1_000_000)), time)
        log = WarehouseLog(
            files: options.historyBytes > 0
                ? try HistoryFiles(
                    directory: FilePath.join(directory, "history"), fileSystem: LocalFileSystem(),
                    limitBytes: options.historyBytes, time: time) : nil, memoryBytes: memory)
        crashes = CrashHistory(CrashFolder(ofWarehouse: directory))
        CrashTrial.open()
        try dropLeftTemporaryTables()
        try makeFirstUser()
        do {
            try resident.start { [plans, results] in
                plans.removeAll()
                results.removeAll()
            }
        } catch {
            throw SQLError(error)
        }
        try maintenance.start(self)
    }

    private static func machine(_ memory: Int, _ workers: Int, _ settings: SystemSettings) -> WorkloadMachine {
        var machine = WorkloadMachine(cores: workers, memoryBytes: memory)
        machine.scalingClusters = settings.scalingClusters
        return machine
    }

    /// The memory less what this process needs without any data, and what regions may keep for reuse at all times.
    /// - Parameter isKept: by a parent process, whose memory counts as well.
    private static func makeBudget(_ bytes: Int, isKept: Bool) throws -> (MemoryBudget, ResidentMemory) {
        let budget = MemoryBudget(limit: bytes)
        let floor = min(64 << 20, bytes / 16)
        let target = min(bytes, max(1 << 30, HostEnvironment.usableMemory() / 10))
        if bytes < ResidentMemory.leastFigure {
            try budget.reserve(floor + min(HostEnvironment.residentMemory(), bytes / 8))
        }
        let besides = isKept ? HostEnvironment.parentPrivateMemory() : 0
        return (budget, ResidentMemory(budget, regionTarget: target, regionFloor: floor, besidesBytes: besides))
    }

    /// The watching thread would keep its manager for ever.
    deinit { workload.stop() }

    public var shape: ClusterShape { store.shape }
    /// Where COPY and UNLOAD find and leave files.
    var places: StoragePlaces {
        StoragePlaces(
            s3Root: options.s3Root, s3: s3, policy: LocalPathPolicy(allowedRoots: options.allowedPaths),
            temporaryFolder: FilePath.join(directory, "tmp"), random: random)
    }
    public var workers: Int { pool.workers }

    /// A new session; statements of one session run one after the other. Nobody asks for a password here.
    ///
    /// - Parameters:
    ///   - user: in whose name; by default that of the options, who is a superuser.
    ///   - database: by default that of the options, or the one that every warehouse has.
    public func connect(user name: String? = nil, database: String? = nil) throws -> Session {
        let name = name ?? options.user
        let catalog = store.snapshot().catalog
        guard let user = catalog.accounts.user(named: name) else {
            throw SQLError("28000", "user \"\(name)\" does not exist")
        }
        guard let place = database.map({ catalog.database(named: $0) }) ?? standardDatabase(catalog) else {
            throw DatabaseDefinition.isUnknown(database ?? options.database)
        }
        return try Session(
            warehouse: self, number: nextSession.add(1, ordering: .relaxed).oldValue, user: user, database: place)
    }

    private func standardDatabase(_ catalog: CatalogSnapshot) -> DatabaseDefinition? {
        catalog.database(named: options.database) ?? catalog.databases[DatabaseDefinition.firstID]
    }

    /// Whether clients can connect to a database of this name.
    package func hasDatabase(named name: String) -> Bool { store.snapshot().catalog.database(named: name) != nil }

    /// Writes a checkpoint and gives the directory back.
    public func close() {
        maintenance.stop(sessions)
        resident.stop()
        workload.stop()
        log.close()
        store.close()
    }

    /// Whoever opens the directory owns its files: the user of the options is a superuser from the start.
    private func makeFirstUser() throws {
        var catalog = store.snapshot().catalog
        if catalog.accounts.user(named: options.user) != nil { return }
        let id = catalog.accounts.makeID()
        catalog.accounts.users[id] = UserDefinition(
            id: id, name: options.user, isSuperuser: true, canCreateDatabases: true, isSyslogUnrestricted: true)
        var change = StoreChange()
        change.catalog = catalog
        try store.commit(change)
    }

    /// Puts a store of another shape in place of the present one. No statement may run, no block be open.
    func resize(to shape: ClusterShape, _ fill: (_ new: Store, _ state: StoreSnapshot) throws -> StoreChange) throws {
        try store.resize(to: shape, fill)
        let opened = try reopened()
        current.withLock { $0 = opened }
    }

    /// Without a store nothing would work any more, so a passing lack of descriptors is waited for.
    private func reopened() throws -> Store {
        for _ in 0..<Warehouse.openingAttempts {
            do {
                return try Store.open(
                    directory: directory, fileSystem: options.fileSystem, budget: budget, options: storeOptions)
            } catch let error as SQLError where error.state == .insufficientResources {
                usleep(Warehouse.openingPauseMicroseconds)
            }
        }
        return try Store.open(
            directory: directory, fileSystem: options.fileSystem, budget: budget, options: storeOptions)
    }
    private static let openingAttempts = 50
    private static let openingPauseMicroseconds: UInt32 = 100_000

    /// Temporary tables of a process that ended without closing its sessions.
    private func dropLeftTemporaryTables() throws {
        var catalog = store.snapshot().catalog
        let left = catalog.withinEach.flatMap(\.schemas.keys).filter { $0.hasPrefix(Session.temporarySchemaPrefix) }
        if left.isEmpty { return }
        for schema in left { catalog.removeSchema(schema) }
        var change = StoreChange()
        change.catalog = catalog
        try store.commit(change)
    }
}
