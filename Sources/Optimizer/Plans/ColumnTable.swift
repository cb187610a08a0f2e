import QueryPlan

/// Something known of columns, found by id without hashing: the ids of a statement count from zero. Not for other
/// targets: a generic type of another module is not specialised, which costs more than the hashing.
struct ColumnTable<Value> {
    private var values: [Value?] = []

    subscript(id: ColumnID) -> Value? {
        get {
            let place = Int(id.raw)
            return place >= 0 && place < values.count ? values[place] : nil
        }
        set {
            let place = Int(id.raw)
            // The engine's own columns, which it has made for itself, are not looked up.
            if place < 0 { return }
            while place >= values.count { values.append(nil) }
            values[place] = newValue
        }
    }
}
