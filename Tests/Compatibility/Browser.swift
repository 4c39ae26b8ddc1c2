import Foundation
import TestSupport
import Testing

/// Headless Chromium.
enum Browser {
    /// The number of seconds within which Chromium must return a page.
    private static let limit = 60

    /// Opens a URL in Chromium with a new profile, runs the page's scripts, and returns the resulting document.
    static func page(at address: String) async throws -> String {
        let program = "/usr/bin/chromium"
        try #require(
            FileManager.default.isExecutableFile(atPath: program),
            "Debian's package chromium is missing; scripts/dependencies installs it"
        )
        let folder = try TemporaryFolder()
        let arguments = [
            // Chromium's sandbox works neither for root nor in a container. The page is trusted and needs no sandbox.
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
            "--disable-background-networking", "--disable-component-update", "--no-first-run", "--no-proxy-server",
            "--user-data-dir=\(folder.path("profile"))",
            // The virtual time does not advance while the page waits for a response.
            "--virtual-time-budget=20000", "--dump-dom", address,
        ]
        let outcome = try await Server.inThread {
            Result {
                try BuiltProgram(path: program)
                    .run(arguments, environment: ["HOME": folder.path("")], within: Self.limit)
            }
        }.get()
        try #require(outcome.status == 0, "\(outcome.errors.suffix(2000))")
        return outcome.output
    }
}
