import ColumnVectors
import SQLTypes

/// One worker's pairs of group and value of a DISTINCT aggregate.
final class DistinctPart {
    let spec: DistinctSpec
    let form: DistinctForm
    let bits: DistinctBits?
    let codes: DistinctCodes?
    let records: DistinctRecords?

    init(_ spec: DistinctSpec, _ form: DistinctForm, _ context: ExecutionContext) throws {
        self.spec = spec
        self.form = form
        var bits: DistinctBits?
        var codes: DistinctCodes?
        var records: DistinctRecords?
        switch form.kind {
        case .bits(let stride): bits = DistinctBits(stride: stride, context)
        case .codes:
            codes = try DistinctCodes(ignoringBits: form.sharesGroups ? 0 : form.groupBits, context)
        case .records: records = try DistinctRecords(context)
        }
        self.bits = bits
        self.codes = codes
        self.records = records
    }

    /// - Parameters:
    ///   - groups: group of every row, below `groupCount`.
    ///   - valid: rows with 0 have no value that counts.
    func add(
        _ batch: Batch, _ groups: UnsafePointer<UInt32>, groupCount: Int, _ valid: UnsafePointer<UInt8>?
    ) throws {
        let argument = spec.argument, count = batch.count
        let data = UnsafeRawPointer(batch.slots[argument.index].data)
        let values = batch.hashes
        if let records {
            if hasCodes { form.encode(KeyVector(data: data, validity: valid), argument.physical, count, values) }
            return try add(hasCodes ? UnsafeRawPointer(values) : data, groups, valid, count, records)
        }
        form.encode(KeyVector(data: data, validity: valid), argument.physical, count, values)
        if let bits {
            try bits.resize(groupCount)
            return bits.add(values, groups, valid, count)
        }
        let shift = UInt64(form.groupBits)
        var kept = 0
        if let valid {
            for i in 0..<count {
                values[kept] = values[i] &<< shift | UInt64(groups[i])
                kept &+= Int(valid[i])
            }
        } else {
            for i in 0..<count { values[i] = values[i] &<< shift | UInt64(groups[i]) }
            kept = count
        }
        try codes?.add(values, kept)
    }

    /// Integers and dictionary codes become numbers of 64 bits first.
    private var hasCodes: Bool {
        switch spec.argument.physical {
        case .uint8, .uint16, .int32, .int64: true
        case .int128, .float64, .string: false
        }
    }

    /// - Parameter data: codes of 64 bits, or values of the wider forms.
    private func add(
        _ data: UnsafeRawPointer, _ groups: UnsafePointer<UInt32>, _ valid: UnsafePointer<UInt8>?, _ count: Int,
        _ records: DistinctRecords
    ) throws {
        switch spec.argument.physical {
        case .string:
            let views = data.assumingMemoryBound(to: StringView.self)
            let trims = spec.argument.trailingBlanks
            for i in 0..<count where valid.map({ $0[i] != 0 }) ?? true {
                let view = trims ? views[i].trimmed : views[i]
                try records.add(UnsafeRawPointer(view.pointer), Int(view.count), view.hash, groups[i])
            }
        case .float64:
            let values = data.assumingMemoryBound(to: Double.self)
            for i in 0..<count where valid.map({ $0[i] != 0 }) ?? true {
                var bits = DistinctForm.bits(values[i])
                try records.add(&bits, 8, PackedGroupTable.hash(bits), groups[i])
            }
        case .int128:
            let values = data.assumingMemoryBound(to: Int128.self)
            for i in 0..<count where valid.map({ $0[i] != 0 }) ?? true {
                var value = values[i]
                let low = PackedGroupTable.hash(UInt64(truncatingIfNeeded: value))
                let hash = StringHash.mix(low ^ UInt64(truncatingIfNeeded: value >> 64), 0x9E37_79B9_7F4A_7C15)
                try records.add(&value, 16, hash, groups[i])
            }
        case .uint8, .uint16, .int32, .int64:
            let values = data.assumingMemoryBound(to: UInt64.self)
            for i in 0..<count where valid.map({ $0[i] != 0 }) ?? true {
                var value = values[i]
                try records.add(&value, 8, PackedGroupTable.hash(value), groups[i])
            }
        }
    }
}
