import ArgumentParser
import Warehouse

/// What a warehouse does for itself while it is idle.
struct MaintenanceArguments: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Reclaim deleted rows while the warehouse is idle.")
    var autoVacuum = true

    @Flag(inversion: .prefixedNo, help: "Update statistics of changed tables while the warehouse is idle.")
    var autoAnalyze = true

    func apply(to options: inout WarehouseOptions) {
        options.automaticVacuum = autoVacuum
        options.automaticAnalyze = autoAnalyze
    }
}
