import ArgumentParser

/// Which table definitions a benchmark uses.
enum TableKeys: String, CaseIterable, ExpressibleByArgument {
    /// DISTKEY, SORTKEY and DISTSTYLE ALL as a Redshift user would choose them.
    case redshift
    case none
}

/// Facts about the 22 queries that their texts do not say in a simple form.
enum TPCH {
    static let tables = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"]
    static let queryNumbers = 1...22

    /// Output columns (from 0) that ORDER BY names: rows that agree in all of them may come in any order.
    static func orderColumns(_ query: Int) -> [Int] {
        switch query {
        case 1: [0, 1]
        case 2: [0, 2, 1, 3]
        case 3: [1, 2]
        case 4, 8, 12: [0]
        case 5: [1]
        case 7: [0, 1, 2]
        case 9: [0, 1]
        case 10: [2]
        case 11: [1]
        case 13: [1, 0]
        case 15: [0]
        case 16: [3, 0, 1, 2]
        case 18: [4, 3]
        case 20: [0]
        case 21: [1, 0]
        case 22: [0]
        default: []
        }
    }

    /// Columns that come from AVG or a division, whose digits depend on the engine.
    static let inexactColumns: Set<String> = [
        "avg_qty", "avg_price", "avg_disc", "mkt_share", "promo_revenue", "avg_yearly",
    ]
}
