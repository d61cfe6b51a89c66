def greet(name):
    # Write a doctest for this function.
    return f"Hello, {name}!"
