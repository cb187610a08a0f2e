extension Int64 {
    /// The whole part of an estimate or a measurement, from 0 to 10^15; what is infinite or no number counts as much.
    package init(bounded value: Double) {
        let most: Int64 = 1_000_000_000_000_000
        // Nothing is less than what is no number, nor is that less than anything.
        guard value < Double(most) else {
            self = most
            return
        }
        self = value > 0 ? Int64(value) : 0
    }
}
