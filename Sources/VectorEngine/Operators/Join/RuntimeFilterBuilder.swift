import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// What the inner side's keys say about the outer side, before it is opened.
struct RuntimeFilterBuilder {
    struct Result {
        var filters: [RuntimeFilter] = []
        /// The exact set of the only key's values, when it was made.
        var bitmap: KeyBitmap?
        /// Where the scan says that the exact filter is applied: the probe finds a match for every row (semi joins),
        /// or none (anti joins).
        var exact: RuntimeFilter.Receipt?
    }
    let site: JoinSite
    let build: BuildSide
    let context: ExecutionContext
    private static let smallBitmap: Int128 = 1 << 24
    private static let bloomRows = 1 << 24

    init(site: JoinSite, build: BuildSide, context: ExecutionContext) {
        self.site = site
        self.build = build
        self.context = context
    }

    func make() throws -> Result {
        var result = Result()
        let isAnti = site.join.kind == .anti && site.join.residual.isEmpty && site.join.keys.count == 1
        guard site.dropsUnmatchedOuter || isAnti, build.rows.count > 0, context.takes(.runtimeFilters) else {
            return result
        }
        for (index, key) in site.join.keys.enumerated() where !key.nullsEqual {
            guard case .column(let column, let type) = key.outer, let bounds = build.bounds[index],
                type.scale == key.inner.type.scale, bounds.lower >= Int128(Int64.min),
                bounds.upper <= Int128(Int64.max)
            else { continue }
            try add(column, index, bounds, isAnti: isAnti, to: &result)
        }
        return result
    }

    private func add(
        _ column: ColumnID, _ index: Int, _ bounds: KeyBounds, isAnti: Bool, to result: inout Result
    ) throws {
        let low = Int64(bounds.lower), high = Int64(bounds.upper)
        let range = bounds.upper - bounds.lower + 1
        let onlyKey = site.join.keys.count == 1
        if range <= max(Int128(build.rows.count) * 64, RuntimeFilterBuilder.smallBitmap) {
            let bitmap = try KeyBitmap(lower: low, upper: high)
            defer { withExtendedLifetime(bitmap) {} }
            try fill(bitmap, index)
            let isFull = bitmap.count == bitmap.range
            let test: RuntimeFilter.Test = isFull && !isAnti ? .range(low, high) : .bitmap(bitmap, negated: isAnti)
            let filter = RuntimeFilter(column: column, test: test)
            result.filters.append(filter)
            if onlyKey {
                result.bitmap = bitmap
                result.exact = filter.receipt
            }
            return
        }
        if isAnti { return }
        result.filters.append(RuntimeFilter(column: column, test: .range(low, high)))
        if build.rows.count <= RuntimeFilterBuilder.bloomRows {
            let bloom = try BloomFilter(keys: build.rows.count)
            defer { withExtendedLifetime(bloom) {} }
            try forEachKey(index) { bloom.insert($0) }
            result.filters.append(RuntimeFilter(column: column, test: .bloom(bloom)))
        }
    }

    /// Large sides are read by all workers, each with its own bitmap.
    private func fill(_ bitmap: KeyBitmap, _ index: Int) throws {
        let rows = build.rows.count
        guard rows > 1 << 18, context.pool.workers > 1 else { return try forEachKey(index) { bitmap.insert($0) } }
        let workers = context.pool.workers
        var bitmaps = [bitmap]
        let upper = bitmap.base + Int64(bitmap.range - 1)
        for _ in 1..<workers { bitmaps.append(try KeyBitmap(lower: bitmap.base, upper: upper)) }
        let all = bitmaps
        let share = (rows + workers - 1) / workers
        context.pool.run { worker in
            let low = min(worker * share, rows)
            insertKeys(build.rows.columns[build.keys[index]], low..<min(low + share, rows), all[worker])
        }
        for other in bitmaps.dropFirst() { bitmap.formUnion(other) }
    }

    private func forEachKey(_ index: Int, _ body: (Int64) -> Void) throws {
        let column = build.rows.columns[build.keys[index]]
        for start in stride(from: 0, to: build.rows.count, by: 1 << 20) {
            try context.cancellation.check()
            visitKeys(column, start..<min(start + 1 << 20, build.rows.count), body)
        }
    }
}

private func insertKeys(_ column: RowSet.Column, _ range: Range<Int>, _ bitmap: KeyBitmap) {
    visitKeys(column, range) { bitmap.insert($0) }
}

/// The non-NULL integers of a materialised column.
@inline(__always)
private func visitKeys(_ column: RowSet.Column, _ range: Range<Int>, _ body: (Int64) -> Void) {
    switch column.form.physical {
    case .uint8: visit(column, UInt8.self, range, body)
    case .uint16: visit(column, UInt16.self, range, body)
    case .int32: visit(column, Int32.self, range, body)
    case .int64: visit(column, Int64.self, range, body)
    case .int128: visit(column, Int128.self, range, body)
    case .float64, .string: break
    }
}

@inline(__always)
private func visit<Value: FixedWidthInteger>(
    _ column: RowSet.Column, _: Value.Type, _ range: Range<Int>, _ body: (Int64) -> Void
) {
    let values = UnsafePointer(column.values.assumingMemoryBound(to: Value.self))
    if let validity = column.validity {
        for row in range where validity[row] != 0 { body(Int64(truncatingIfNeeded: values[row])) }
    } else {
        for row in range { body(Int64(truncatingIfNeeded: values[row])) }
    }
}
