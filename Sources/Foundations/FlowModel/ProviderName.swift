/// The names of identity providers, which have no case.
public enum ProviderName {
    /// Returns the one spelling of a name, also of the older name that `aad` has in Mobile Client Access.
    public static func usual(_ name: String) -> String {
        let name = name.lowercased()
        return name == "windowsazureactivedirectory" ? "aad" : name
    }
}
