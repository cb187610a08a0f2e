import SQLTypes
enum RowOrder {
    static func sort(_ rows: SliceRows, _ plan: WritePlan) throws {}
}
