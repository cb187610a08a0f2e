import Glibc
import Platform

/// Deaths on order, for tests of what comes after them. In a process with REDBARN_TEST_CRASH=1 a statement with
/// `/* crash: KIND */` in it ends the process, with REDBARN_TEST_CRASH=start the opening of a warehouse does.
enum CrashTrial {
    private static let order = getenv("REDBARN_TEST_CRASH").map { String(cString: $0) } ?? ""
    private static let isOn = order == "1"
    private static let patienceMicroseconds: UInt32 = 500_000

    static func open() { if order == "start" { DeliberateDeath.trap.happen() } }

    static func run(_ text: String, _ pool: WorkerPool) {
        if !isOn { return }
        for kind in DeliberateDeath.allCases where text.contains("/* crash: \(kind) */") { kind.happen() }
        if text.contains("/* crash: helper */") {
            pool.run { worker in
                // The caller waits, so that a helper thread takes one of the other parts.
                if worker == 0 { usleep(patienceMicroseconds) } else { DeliberateDeath.trap.happen() }
            }
        }
    }
}
