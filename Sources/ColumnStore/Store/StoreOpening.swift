import Catalog
import Platform
import SQLTypes

/// What opening a warehouse works out: superblock, then log, then the parts that are left.
struct StoreOpening {
    let superblock: Superblock
    private(set) var report = LogReport()
    let nextSegment: UInt64
    let numbers: PartNumbers
    let snapshot: StoreSnapshot
    let analyses: AnalysisRegistry
    let namedDeleted: [PartID: String]
    let folders: TableFolders

    init(
        _ superblock: Superblock, _ directory: WarehouseDirectory, _ cache: BlockCache, _ options: StoreOptions
    ) throws {
        self.superblock = superblock
        var replay = LogReplay(superblock)
        var scan = LogScan(directory, checkpoint: superblock.version)
        try scan.read { try replay.apply(commit: $0, $1, file: $2) }
        report = scan.report
        nextSegment = scan.nextSegment
        numbers = replay.numbers
        numbers.advance(to: replay.nextPartID)
        if var broken = report.broken {
            try directory.putAside(&broken)
            report.broken = broken
            if let saved = broken.savedAs { report.quarantined.append(saved) }
        }
        // A program that does not know the log, or what is in it, must not open what it would see only half of.
        if superblock.format < Superblock.formatVersion { try directory.replaceSuperblock(superblock) }
        folders = TableFolders(directory, superblock.shape, tables: Set(replay.tables.keys))
        analyses = AnalysisRegistry(directory, folders)
        snapshot = try StoreOpening.load(
            replay, superblock.shape, directory, cache, options, analyses, folders)
        let parts = replay.tables.values.flatMap(\.parts)
        namedDeleted = Dictionary(
            uniqueKeysWithValues: parts.filter { $0.deletedFile != 0 }.map { part in
                let path = directory.deletedPath(
                    part.id, file: part.deletedFile, table: part.table, slice: part.slice, shape: superblock.shape)
                return (part.id, path)
            })
        directory.removeOrphans(parts, superblock.shape)
    }

    static func load(
        _ replay: LogReplay, _ shape: ClusterShape, _ directory: WarehouseDirectory, _ cache: BlockCache,
        _ options: StoreOptions, _ analyses: AnalysisRegistry, _ folders: TableFolders? = nil
    ) throws -> StoreSnapshot {
        var tables = TableMap()
        for definition in replay.catalog.tablesOfAllDatabases {
            let found = replay.tables[definition.id] ?? LogReplay.Table()
            let files = try found.parts.map { entry in
                try open(entry, found, shape, directory, cache, folders)
            }
            let draft = TableDraft(
                definition, files: files, deltas: found.deltas.filter { $0.liveCount > 0 }, identity: found.identity,
                defaults: found.defaults)
            tables[definition.id] = try draft.snapshot(sliceCount: shape.slices, autoAllRows: options.autoAllRows)
        }
        analyses.load(tables)
        return StoreSnapshot(
            version: replay.version, catalog: replay.catalog, tables: tables, analyses: analyses)
    }

    static func open(
        _ entry: Superblock.PartEntry, _ table: LogReplay.Table, _ shape: ClusterShape,
        _ directory: WarehouseDirectory, _ cache: BlockCache, _ folders: TableFolders?
    ) throws -> PartVersion {
        let path = directory.partPath(entry.id, table: entry.table, slice: entry.slice, shape: shape)
        let copies = entry.slice == 0 ? directory.copyPaths(entry.id, table: entry.table, shape: shape) : []
        let file = try PartReader.open(
            path, copies: copies, fileSystem: directory.fileSystem, cache: cache, folders: folders)
        let footer = file.footer
        guard footer.id == entry.id, footer.table == entry.table, footer.slice == entry.slice,
            file.byteCount == entry.byteCount
        else { throw PartReader.damaged(path, column: nil, "it is not the part that the superblock or the log names") }
        let stored = try directory.readDeleted(entry, file, shape: shape)
        return PartVersion(file: file, deleted: try table.deleted(of: file, stored: stored))
    }
}
