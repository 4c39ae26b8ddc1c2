public import Foundation

/// The project folder, for tests that read its files.
public enum ProjectFolder {
    /// The folder that contains `Package.swift`.
    public static let url: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return folder
    }()

    /// The path of the folder, without a trailing slash.
    public static let path = url.path

    /// Returns the contents of the file at a path relative to the project folder.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: url.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the Swift files below the folder at a path relative to the project folder.
    public static func swiftFiles(in path: String) -> [URL] {
        let found = FileManager.default.enumerator(
            at: url.appendingPathComponent(path),
            includingPropertiesForKeys: nil
        )
        return (found?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    /// Returns the Swift files of a target in `Sources`.
    public static func swiftFiles(of target: String) -> [URL] {
        let depth = url.pathComponents.count + 2
        return swiftFiles(in: "Sources").filter { $0.pathComponents.dropFirst(depth).first == target }
    }
}
