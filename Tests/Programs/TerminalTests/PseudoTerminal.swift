import Dispatch
import Glibc
import Testing

@testable import Terminal

/// Both ends of a pseudoterminal.
struct PseudoTerminal: Sendable {
    let person: Int32
    let program: TerminalDevice
    private let other: Int32
    private let queue = DispatchQueue(label: "person")

    init() throws {
        let person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(person >= 0)
        var number: Int32 = 0
        var unlocked: Int32 = 0
        // These are the requests TIOCSPTLCK and TIOCGPTN of `ioctl_tty(2)`, whose constants Swift does not import.
        try #require(ioctl(person, 0x4004_5431, &unlocked) == 0)
        try #require(ioctl(person, 0x8004_5430, &number) == 0)
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(other >= 0)
        self.person = person
        self.other = other
        program = TerminalDevice(descriptor: other)
    }

    /// Reads the terminal's output until the output contains `text`, and returns the output.
    ///
    /// The read runs on a separate queue because the program under test needs the threads of the test.
    func shows(_ text: String) async -> String {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: read(until: text)) }
        }
    }

    private func read(until text: String) -> String {
        var shown = ""
        var buffer = [UInt8](repeating: 0, count: 1024)
        while !shown.contains(text) {
            var waiting = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 10_000) == 1 else { return shown }
            let count = Glibc.read(person, &buffer, buffer.count)
            guard count > 0 else { return shown }
            shown += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return shown
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(person, bytes, bytes.count)
    }

    /// Makes sure that typed text has arrived at the other end.
    ///
    /// The kernel delivers pending input before `poll(2)` returns.
    func arrive() {
        var waiting = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, 0)
    }

    /// Returns the unread input that a shell would get, including incomplete lines.
    func leftover() -> String {
        arrive()
        var modes = termios()
        tcgetattr(other, &modes)
        let before = modes
        modes.c_lflag &= ~tcflag_t(ICANON)
        withUnsafeMutableBytes(of: &modes.c_cc) { keys in
            keys[Int(VMIN)] = 0
            keys[Int(VTIME)] = 0
        }
        tcsetattr(other, TCSANOW, &modes)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(other, &buffer, buffer.count)
        var again = before
        tcsetattr(other, TCSANOW, &again)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// Whether typed text is echoed.
    var echoes: Bool {
        var modes = termios()
        tcgetattr(person, &modes)
        return modes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Whether Ctrl-C sends a signal.
    var signals: Bool {
        var modes = termios()
        tcgetattr(person, &modes)
        return withUnsafeBytes(of: &modes.c_cc) { $0[Int(VINTR)] == 0x03 }
    }
}
