import Catalog
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// Conditions that encoded blocks can answer become conjuncts of the scan, the others filters behind it. Columns
    /// are fetched where they are first used.
    func openTableScan(
        _ plan: PhysicalPlan, _ scan: PhysicalTableScan, filters: [RuntimeFilter]
    ) throws -> Pipeline {
        let snapshot = try context.relations.table(scan.table.id)
        let takesCodes = context.takes(.dictionaryCodes)
        let dictionaries = scan.columns.map {
            $0.isHidden || !takesCodes ? nil : snapshot.unifiedDictionary(column: $0.index)
        }
        let source = try TableScanSource(
            snapshot, columnIndexes: scan.columns.map(\.index), dictionaries: dictionaries, context: context)
        let pipeline = Pipeline(context: context, source: source)
        let forms = ScanForms(snapshot: snapshot, scan: scan, dictionaries: dictionaries, context: context)
        for slot in scan.columns.indices {
            pipeline.bind(
                scan.columns[slot].id,
                .fetch { pipeline in
                    let register = forms.makeRegister(slot, in: pipeline, lastRowID: source.lastRowID)
                    switch scan.columns[slot].index {
                    case ScanColumn.rowID: pipeline.emit(RowIDFetch(register))
                    case ScanColumn.sliceNumber: pipeline.emit(SliceNumberFetch(register))
                    default: pipeline.emit(ColumnFetch(slot: slot, register))
                    }
                    return register
                })
        }
        var rest: [BoundExpression] = []
        for conjunct in LongCondition.joined(scan.conjuncts.flatMap(\.conjuncts)) {
            guard context.takes(.encodedFilters) else {
                rest.append(conjunct)
                continue
            }
            let made = try ConjunctCompiler(forms: forms, rows: pipeline.rowBound).compile(conjunct)
            for conjunct in made.conjuncts { source.add(conjunct) }
            if !made.isComplete { rest.append(conjunct) }
        }
        for filter in filters { apply(filter, to: source, forms) }
        if !context.takes(.lateFetch) { for column in scan.columns { _ = try pipeline.value(of: column.id) } }
        for condition in rest { try pipeline.filter(condition) }
        return pipeline
    }

    private func apply(_ filter: RuntimeFilter, to source: TableScanSource, _ forms: ScanForms) {
        guard let slot = forms.slot(of: filter.column), forms.isNarrowInteger(slot) else { return }
        let column = forms.scan.columns[slot].index
        switch filter.test {
        case .range(let lower, let upper):
            source.add(RangeConjunct(slot: slot, column: column, lower: lower, upper: upper))
        case .bitmap(let bitmap, let negated):
            source.add(KeyBitmapConjunct(slot: slot, column: column, bitmap, negated: negated))
        case .bloom(let bloom): source.add(BloomConjunct(slot: slot, column: column, bloom))
        }
        filter.receipt.applied = true
    }
}

extension BoundExpression {
    var conjuncts: [BoundExpression] {
        if case .and(let parts) = self { return parts.flatMap(\.conjuncts) }
        return [self]
    }
}

/// What the snapshot knows of the columns that a scan reads.
struct ScanForms {
    let snapshot: TableSnapshot
    let scan: PhysicalTableScan
    let dictionaries: [UnifiedDictionary?]
    let context: ExecutionContext

    /// Row ids are in no block, so that none of the scan's own tests can answer them.
    func slot(of column: ColumnID) -> Int? { scan.columns.firstIndex { $0.id == column && !$0.isHidden } }

    /// Stored as integers of up to 64 bits.
    func isNarrowInteger(_ slot: Int) -> Bool {
        let physical = scan.columns[slot].type.physical
        return physical.isInteger && physical != .int128
    }

    func makeRegister(_ slot: Int, in pipeline: Pipeline, lastRowID: Int128 = Int128(Int64.max)) -> Register {
        if scan.columns[slot].isRowID {
            return pipeline.makeRegister(.bigint, .int64, lower: 0, upper: lastRowID, nullable: false)
        }
        if scan.columns[slot].index == ScanColumn.sliceNumber {
            let last = Int128(max(snapshot.sliceRows.count - 1, 0))
            return pipeline.makeRegister(.integer, .int32, lower: 0, upper: last, nullable: false)
        }
        let column = scan.columns[slot], statistics = snapshot.statistics.columns[column.index]
        let nullable = statistics.nullCount > 0
        if let unified = dictionaries[slot] {
            let dictionary = unified.dictionary, last = max(dictionary.count - 1, 0)
            return pipeline.makeRegister(
                column.type, last < 256 ? .uint8 : .uint16, lower: 0, upper: Int128(last), nullable: nullable,
                dictionary: dictionary, trailingBlanks: dictionary.hasTrailingBlanks)
        }
        switch column.type.physical {
        case .string:
            return pipeline.makeRegister(
                column.type, .string, nullable: nullable, trailingBlanks: statistics.hasTrailingBlanks)
        case .float64: return pipeline.makeRegister(column.type, .float64, nullable: nullable)
        case .int128:
            if context.takes(.narrowCodes), case .integer(let low) = statistics.minimum,
                case .integer(let high) = statistics.maximum
            {
                return pipeline.makeRegister(column.type, .int128, lower: low, upper: high, nullable: nullable)
            }
            return pipeline.makeRegister(column.type, .int128, nullable: nullable)
        case .uint8, .uint16, .int32, .int64:
            guard context.takes(.narrowCodes) else {
                let limits = column.type.valueBounds
                return pipeline.makeRegister(
                    column.type, column.type.physical, lower: limits.lower, upper: limits.upper, nullable: nullable)
            }
            let (low, high) = bounds(slot)
            return pipeline.makeRegister(
                column.type, PhysicalType.narrowest(low, high), lower: low, upper: high, nullable: nullable)
        }
    }

    /// Exact bounds over all parts, from the zone maps.
    func bounds(_ slot: Int) -> (Int128, Int128) {
        let column = scan.columns[slot], statistics = snapshot.statistics.columns[column.index]
        if case .integer(let low) = statistics.minimum, case .integer(let high) = statistics.maximum {
            return (low, high)
        }
        return (0, 0)
    }
}
