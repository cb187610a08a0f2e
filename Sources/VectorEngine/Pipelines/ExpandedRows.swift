import SQLTypes

/// The rows of a batch before a step that repeats them, and what such a step does with each batch of repeated rows.
struct ExpandedRows {
    let count: Int
    private let identity: Bool
    private let selection: UnsafeMutablePointer<UInt16>

    init(_ batch: Batch) {
        count = batch.count
        identity = batch.identity
        selection = batch.selection
    }

    func restore(_ batch: Batch) {
        batch.count = count
        batch.identity = identity
        batch.selection = selection
    }

    /// Copies a register's values for the rows at `positions`, which may repeat.
    func carry(_ batch: Batch, _ pair: CarrySet.Pair, _ positions: UnsafePointer<UInt16>, _ rows: Int) {
        let from = batch.slots[pair.from]
        let target = batch.output(pair.to, UInt8.self)
        gatherRows(
            UnsafeRawPointer(from.data), UnsafeMutableRawPointer(target), batch.registers[pair.to].physical.byteWidth,
            positions, rows)
        if let validity = from.validity {
            gatherRows(validity, batch.outputValidity(pair.to), 1, positions, rows)
        }
    }

    /// Where the rows at `positions` came from.
    func select(
        _ batch: Batch, _ positions: UnsafePointer<UInt16>, _ rows: Int, into target: UnsafeMutablePointer<UInt16>
    ) {
        if identity {
            target.update(from: positions, count: rows)
        } else {
            for i in 0..<rows { target[i] = selection[Int(positions[i])] }
        }
        batch.identity = false
        batch.selection = target
    }
}
