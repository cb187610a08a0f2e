import Glibc
import PGWire
import Platform
import Warehouse

/// The process that serves, as its parent starts it: with the parent's ``CrashTable`` and without the Swift runtime's
/// own handlers of deadly signals, which take many seconds to write a stack.
struct ServedProcess {
    /// `descriptor:process` of the parent.
    private static let variable = "REDBARN_KEEPER"

    // MARK: In the parent

    private let program: [CChar]
    private let arguments: [String]
    private let descriptor: Int32
    /// The signals that were blocked before the parent began to wait for some.
    private let mask: sigset_t

    init(descriptor: Int32, mask: sigset_t) {
        self.descriptor = descriptor
        self.mask = mask
        arguments = CommandLine.arguments
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        program = length > 0 ? path : Array("/proc/self/exe".utf8CString)
    }

    /// nil when the system refuses; errno tells why.
    func start() -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = mask
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        var variables = environment.map { strdup($0) }
        variables.append(nil)
        defer { for word in words + variables { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, program, nil, &attributes, words, variables)
        if code == 0 { return process }
        errno = code
        return nil
    }

    private var environment: [String] {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            if !text.hasPrefix(ServedProcess.variable + "=") && !text.hasPrefix("SWIFT_BACKTRACE=") {
                variables.append(text)
            }
            next += 1
        }
        return variables + ["\(ServedProcess.variable)=\(descriptor):\(getpid())", "SWIFT_BACKTRACE=enable=no"]
    }

    // MARK: In the child

    /// The parent's table; nil in a process that no parent has started to serve. From here on the process ends with its
    /// parent.
    static func adopt() -> CrashTable? {
        guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
        unsetenv(variable)
        let numbers = text.split(separator: ":").compactMap { Int32($0) }
        guard numbers.count == 2, getppid() == numbers[1] else { return nil }
        guard CrashTable.endWithParent(numbers[1]) else { exit(1) }
        return CrashTable.adopt(descriptor: numbers[0])
    }
}
