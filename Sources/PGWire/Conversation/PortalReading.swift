/// Cuts a run of DataRow messages after a number of rows.
enum PortalReading {
    /// The length in bytes of the first `rows` messages, and how many there were.
    static func prefix(_ bytes: [UInt8], rows: Int) -> (bytes: Int, rows: Int) {
        var place = 0
        var found = 0
        while found < rows && place + 5 <= bytes.count {
            var length = 0
            for offset in 1...4 { length = length << 8 | Int(bytes[place + offset]) }
            place += 1 + length
            found += 1
        }
        return (min(place, bytes.count), found)
    }
}
