class Item:
    price: float
    count: int


# Write a function that returns the total price of all items.
