import Glibc
import Redbarn

/// A warehouse inside of a program: opens a directory, loads rows, and reads them in all the ways that there are.
func example(directory: String) throws {
    let warehouse = try Warehouse(directory: directory)
    defer { warehouse.close() }
    let session = try warehouse.connect()

    // Statements without a result of interest.
    try session.query("create table sales (id int, city varchar(40), amount decimal(10,2)) distkey(id) sortkey(id)")
    try session.query("insert into sales values (1, 'Basel', 10.50), (2, 'Zürich', 20), (3, 'Basel', 5.25)")

    // A small result in memory.
    let result = try session.query("select city, sum(amount) as total from sales group by city order by city")
    for row in result.rows.indices {
        print(result.text(row: row, column: 0) ?? "NULL", result.text(row: row, column: 1) ?? "NULL")
    }

    // Prepared once, run with several values.
    let byCity = try session.prepare("select count(*) from sales where city = $1")
    for city in ["Basel", "Bern"] {
        try session.forEachRow(of: byCity, parameters: [.text(city)]) { print(city, $0.text(0) ?? "NULL") }
    }

    // A large result as it comes: rows one by one, or columns in batches.
    var sum: Int64 = 0
    try session.forEachRow("select id from sales") { sum += Int64($0.integer(0) ?? 0) }
    print("sum of ids", sum)
    var rows = 0
    try session.forEachBatch("select * from generate_series(1, 100000) g") { rows += $0.rowCount }
    print("rows", rows)

    // Errors carry SQLSTATE, position, detail and hint.
    do {
        try session.query("select * from sale")
    } catch let error as SQLError {
        print(error.state.code, error.message)
    }

    // Another thread may cancel what runs.
    let canceller = Canceller(session)
    canceller.start()
    do {
        try session.query(
            "select count(*) from generate_series(1, 200000) a, generate_series(1, 100000) b where a.a % 7 = b.b % 11")
    } catch let error as SQLError {
        print(error.state.code)
    }
    try session.close()
}

/// Cancels a session's statement after a while.
final class Canceller: Sendable {
    private let session: Session
    init(_ session: Session) { self.session = session }

    func start() {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                usleep(200_000)
                Unmanaged<Canceller>.fromOpaque(raw).takeRetainedValue().session.cancel()
                return nil
            }, argument)
        pthread_detach(thread)
    }
}

let directory = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "embedding.warehouse"
do {
    try example(directory: directory)
} catch {
    print("failed:", error)
    exit(1)
}
