import Warehouse

/// What `/metrics` says of the warehouse: memory by owner, sessions, log, checkpoints, disk, loads. Prometheus text.
enum WarehouseMetricsPage {
    static func text(_ figures: WarehouseFigures) -> String {
        var lines = ""
        func head(_ name: String, _ kind: String, _ help: String) {
            lines += "# HELP redbarn_\(name) \(help)\n# TYPE redbarn_\(name) \(kind)\n"
        }
        func add(_ name: String, _ kind: String, _ help: String, _ value: Int) {
            head(name, kind, help)
            lines += "redbarn_\(name) \(value)\n"
        }
        head("memory_bytes", "gauge", "Memory by account, as in STV_PROCESS_MEMORY; temporary lies on disk.")
        for entry in figures.memory { lines += "redbarn_memory_bytes{account=\"\(entry.account)\"} \(entry.bytes)\n" }
        head("sessions", "gauge", "Sessions of clients: with a running statement, and without.")
        lines += "redbarn_sessions{state=\"active\"} \(figures.activeSessions)\n"
        lines += "redbarn_sessions{state=\"idle\"} \(figures.idleSessions)\n"
        add("log_bytes", "gauge", "Bytes of the log that no checkpoint has written to parts.", figures.logBytes)
        add("checkpoints_total", "counter", "Checkpoints since the start.", figures.checkpoints)
        add("checkpoints_failed_total", "counter", "Checkpoints that failed.", figures.failedCheckpoints)
        if let disk = figures.disk {
            add("disk_free_bytes", "gauge", "Free bytes of the warehouse's file system.", disk.freeBytes)
            add("disk_size_bytes", "gauge", "Bytes of the warehouse's file system.", disk.totalBytes)
        }
        add("loaded_rows_total", "counter", "Rows of files that COPY has read.", figures.loadedRows)
        add("loaded_bytes_total", "counter", "Bytes of files that COPY has read.", figures.loadedBytes)
        add("load_errors_total", "counter", "Rows that COPY has refused.", figures.refusedRows)
        return lines
    }
}
