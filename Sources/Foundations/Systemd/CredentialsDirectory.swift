public import Foundation

/// The secrets that the service manager hands over as files (`LoadCredential=`, `systemd.exec(5)`).
public struct CredentialsDirectory: Sendable {
    private let folder: String?

    /// The folder that `environment` names as `CREDENTIALS_DIRECTORY`, if any.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        folder = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The path of the credential `name`, or nil if there is none; a name with a slash in it names none.
    public func path(of name: String) -> String? {
        guard let folder, !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return nil }
        let path = folder + "/" + name
        return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }
}
